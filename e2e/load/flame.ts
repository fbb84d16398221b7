import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProduct } from '../product.ts';
import type { Cell } from './cells.ts';
import { measure } from './measure.ts';

/** The parts of V8's CPU profile that are needed: https://chromedevtools.github.io/devtools-protocol/tot/Profiler/ */
interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  /** Microseconds. */
  readonly timeDeltas: readonly number[];
}

interface Frame {
  readonly name: string;
  micros: number;
  readonly children: Map<string, Frame>;
}

const loadSeconds = 8;
const width = 1400;
const row = 17;

/** Runs one cell against a gateway under V8's profiler and draws a flame graph of the load's last seconds. */
export async function flame(cell: Cell, mockPort: number, load: string, cache: string, out: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'callsmith-profile-'));
  try {
    const product = await startProduct({
      upstreamUrl: `http://127.0.0.1:${mockPort}`,
      nodeArgs: ['--cpu-prof', `--cpu-prof-dir=${folder}`],
    });
    if (cell.strategy)
      await product.changeModel(cell.model, { strategy: cell.strategy, dialect: 'hermes', reason: 'profile' });
    const peer = {
      name: 'callsmith',
      port: product.port,
      pid: product.pid,
      path: '/v1/chat/completions',
      key: product.apiKey,
      headers: [],
      stop: () => product.stop(),
    };
    await measure(peer, { ...cell, seconds: 4 }, cache, load);
    await measure(peer, { ...cell, seconds: loadSeconds }, cache, load);
    await product.stop();
    const [largest] = readdirSync(folder)
      .map((name) => join(folder, name))
      .sort((a, b) => statSync(b).size - statSync(a).size);
    const profile = JSON.parse(readFileSync(largest ?? '', 'utf8')) as CpuProfile;
    mkdirSync(join(out, '..'), { recursive: true });
    writeFileSync(out, drawn(stacks(profile), cell.title));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The samples of the load's last seconds, merged by call stack, without idle time. */
function stacks({ nodes, samples, timeDeltas }: CpuProfile): Frame {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children }) => (children ?? []).map((child) => [child, id] as const)));
  const end = timeDeltas.reduce((sum, delta) => sum + delta, 0);
  const from = end - (loadSeconds + 1) * 1e6;
  const root: Frame = { name: 'all', micros: 0, children: new Map() };
  let now = 0;
  samples.forEach((sample, at) => {
    const delta = timeDeltas[at] ?? 0;
    now += delta;
    if (now < from || byId.get(sample)?.callFrame.functionName === '(idle)') return;
    const path: string[] = [];
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) {
      const frame = byId.get(id)?.callFrame;
      if (frame && frame.functionName !== '(root)') path.push(nameOf(frame));
    }
    let place = root;
    place.micros += delta;
    for (const name of path.reverse()) {
      let next = place.children.get(name);
      if (next === undefined) place.children.set(name, (next = { name, micros: 0, children: new Map() }));
      next.micros += delta;
      place = next;
    }
  });
  return root;
}

function nameOf({ functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame']): string {
  const file = url.startsWith('node:') ? url : url.split('/').slice(-2).join('/');
  return `${functionName || '(anonymous)'}${file ? ` ${file}:${lineNumber + 1}` : ''}`;
}

function drawn(root: Frame, title: string): string {
  const boxes: string[] = [];
  let depth = 0;
  const draw = (frame: Frame, left: number, level: number): void => {
    const wide = (frame.micros / root.micros) * width;
    if (wide < 1.5) return;
    depth = Math.max(depth, level);
    const share = `${((100 * frame.micros) / root.micros).toFixed(1)} %`;
    const letters = Math.floor((wide - 4) / 6.2);
    const y = level * row + 28;
    boxes.push(
      `<g><title>${escaped(`${frame.name}: ${share}`)}</title><rect x="${left.toFixed(1)}" y="${y}" width="${(wide - 0.4).toFixed(1)}" height="${row - 1}" fill="${colour(frame.name)}"/>${letters > 3 ? `<text x="${(left + 3).toFixed(1)}" y="${y + 12}">${escaped(frame.name.slice(0, letters))}</text>` : ''}</g>`,
    );
    let at = left;
    for (const child of [...frame.children.values()].sort((a, b) => b.micros - a.micros)) {
      draw(child, at, level + 1);
      at += (child.micros / root.micros) * width;
    }
  };
  draw(root, 0, 0);
  const height = (depth + 1) * row + 36;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="monospace" font-size="10.5"><title>${escaped(title)}: where the gateway's time goes</title><rect width="100%" height="100%" fill="#fff"/><text x="4" y="17" font-size="13">${escaped(title)}: where the gateway's time goes (main thread, ${(root.micros / 1e6).toFixed(1)} s of work)</text>${boxes.join('')}</svg>\n`;
}

/** Colors the gateway's own code differently from Node's, the packages' and native code. */
function colour(name: string): string {
  if (/ dist\/|assets\//.test(name)) return '#f6b26b';
  if (/ node:/.test(name)) return '#b6d7a8';
  return / /.test(name) ? '#a4c2f4' : '#d9d9d9';
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
