import type { ProbeArm } from '@callsmith/data/probes';
import {
  type ArmRow,
  armResult,
  examplesHelp,
  judge,
  type ProbeSize,
  probeQuestions,
  recommend,
  wantsCall,
} from '@callsmith/evaluate';
import { type Simulator, startSimulator } from '@callsmith/simulator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProxy, type TestProxy } from '../test/test-proxy.ts';
import { ProbeRequests } from './probe-requests.ts';

const weak = (name: string) => `weak-${name}`;
const arms: readonly ProbeArm[] = [
  { strategy: 'native', dialect: null },
  { strategy: 'prompt', dialect: 'hermes' },
  { strategy: 'prompt', dialect: 'qwen3-coder-xml' },
];
const names = ['native', 'hermes', 'tags'];

/** The arms that may be advised, with the arm in effect first; `stay`: nothing is surely better. */
const weaknesses: [name: string, inEffect: number, advised: readonly (string | 'stay')[]][] = [
  ['nothing', 0, ['stay']],
  ['refuses-tools', 0, ['hermes', 'tags']],
  ['ignores-tools', 0, ['hermes', 'tags']],
  // What leaks is read, and what an engine rejects with its text too; but the model does better by itself by prompt.
  ['leaks', 0, ['hermes', 'tags']],
  ['parser', 0, ['hermes', 'tags']],
  ['strict', 0, ['hermes', 'tags']],
  ['announces', 0, ['hermes', 'tags']],
  ['thinks', 0, ['hermes', 'tags']],
  ['json', 1, ['tags']],
  ['context', 0, ['stay']],
  ['empty', 0, ['stay']],
  ['arguments', 0, ['stay']],
  ['constraint', 0, ['stay']],
  // Of tags only a closing one is lost, which is certain to be read.
  ['unreadable', 0, ['tags']],
];

let simulator: Simulator;
let proxy: TestProxy;
beforeAll(async () => {
  const models = [...weaknesses.map(([name]) => weak(name)), 'weak-heeds-constraint', 'sim-needs-examples'];
  simulator = await startSimulator({ models, seed: 'probe' });
  proxy = await startProxy(
    models.map((name) => ({ name, strategy: 'auto', dialect: 'auto', baseUrls: [`${simulator.url}/v1`] })),
  );
});
afterAll(async () => {
  await proxy.close();
  await simulator.close();
});

async function probe(name: string, arm: ProbeArm, size: ProbeSize): Promise<(ArmRow & { why: string })[]> {
  const requests = new ProbeRequests(proxy.proxy, proxy.snapshot);
  const model = { modelId: `model_${name}`, upstreamId: `up_${new URL(simulator.url).port}` };
  const rows: (ArmRow & { why: string })[] = [];
  for (const question of probeQuestions(name, size)) {
    const answer = await requests.ask(model, arm, question.request, new AbortController().signal);
    const judgement = judge(answer, question.expects);
    rows.push({
      ...answer,
      key: question.key,
      case: question.case,
      wanted: wantsCall(question),
      right: answer.refusal === null && judgement.right,
      why: answer.refusal ?? (judgement.right ? '' : judgement.why),
      calls: answer.calls.length,
      valid: answer.calls.every(({ valid }) => valid),
      refused: answer.refusal !== null,
    });
  }
  return rows;
}

describe('a model without weakness', () => {
  it.each(arms.map((arm, at) => [names[at] ?? '', arm] as const))(
    'gets all twenty cases right by %s',
    async (_, arm) => {
      const rows = await probe(weak('nothing'), arm, 'quick');
      expect(rows.filter(({ right }) => !right).map(({ key, why }) => `${key}: ${why}`)).toEqual([]);
      expect(rows.every(({ clean }) => clean)).toBe(true);
      expect(armResult(rows)).toMatchObject({ triggerF1: 1, schemaAccuracy: { value: 1 }, refused: 0 });
    },
  );
});

describe('the probe ranks the strategies correctly', () => {
  it.each(weaknesses)('for a model with the weakness "%s"', { timeout: 120_000 }, async (name, inEffect, advised) => {
    const measured = [];
    for (const [at, arm] of arms.entries())
      measured.push({ name: names[at] ?? '', rows: await probe(weak(name), arm, 'full') });
    const { arm, sentence } = recommend(measured, inEffect, 'full');
    expect(advised, sentence).toContain(arm === null ? 'stay' : names[arm]);
  });

  it.each([
    ['heeds-constraint', 'strict'],
    ['constraint', 'stay'],
    ['strict', 'stay'],
  ])('between native and constrained calls, for "%s": %s', { timeout: 120_000 }, async (name, advised) => {
    const measured = [];
    for (const strategy of ['native', 'strict'] as const)
      measured.push({ name: strategy, rows: await probe(weak(name), { strategy, dialect: null }, 'full') });
    const { arm, sentence } = recommend(measured, 0, 'full');
    expect(arm === null ? 'stay' : measured[arm]?.name, sentence).toBe(advised);
  });

  it('finds where example calls help, and recommends nothing where they do not', { timeout: 120_000 }, async () => {
    const shown = async (name: string, examples: boolean) =>
      probe(name, { strategy: 'prompt', dialect: 'hermes', examples }, 'full');
    const needs = 'sim-needs-examples';
    expect(examplesHelp(await shown(needs, true), await shown(needs, false))).toMatch(
      /^with example calls 100 % right/,
    );
    expect(examplesHelp(await shown(weak('nothing'), true), await shown(weak('nothing'), false))).toBeUndefined();
  });

  it('records none of its requests', async () => {
    expect(proxy.recorder.turns).toEqual([]);
    expect(await proxy.metrics.registry.metrics()).not.toMatch(/^callsmith_turns_total\{/m);
  });
});
