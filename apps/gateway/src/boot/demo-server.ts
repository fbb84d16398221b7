import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '@callsmith/config';
import type { DemoSeed } from '@callsmith/data/seed';
import { modelNamed, startSimulator } from '@callsmith/simulator';

const MODELS = ['demo-native', 'demo-text', 'demo-leaky', 'demo-flaky'];

/** The simulated model server behind the demo models, and its entries for the tables. */
export interface DemoServer {
  readonly seed: DemoSeed;
  close(): Promise<void>;
}

/** Starts the demo's model server in this process; undefined with DEMO=off. */
export async function startDemoServer(settings: Settings): Promise<DemoServer | undefined> {
  if (settings.demo === false) return undefined;
  const simulator = await startSimulator({ models: MODELS });
  const models = MODELS.map((name) => ({ name, contextLength: modelNamed(name)?.controls.context ?? 0 }));
  return {
    seed: { baseUrl: `${simulator.url}/v1`, key: keptDemoKey(settings.dataDir), models },
    close: () => simulator.close(),
  };
}

/** Keeps the demo key readable: it opens only demo models, and every start shows it. */
export function storeDemoKey(dataDir: string, key: string): void {
  if (keptDemoKey(dataDir) !== key) writeFileSync(file(dataDir), `${key}\n`, { mode: 0o600 });
}

const file = (dataDir: string) => join(dataDir, 'demo-key');

function keptDemoKey(dataDir: string): string | undefined {
  return existsSync(file(dataDir)) ? readFileSync(file(dataDir), 'utf8').trim() : undefined;
}
