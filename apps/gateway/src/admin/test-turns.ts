import { newTurnId } from '@callsmith/data/ids';
import { PostgresRecorder, type TurnRecord } from '@callsmith/data/record';
import { nothingRecorded } from '@callsmith/testing';
import type { TestGateway } from './test-gateway.ts';

/** A turn for the record, clean by default; `agoMs`: its age. */
export function testTurn({ agoMs = 60_000, ...overrides }: Partial<TurnRecord> & { agoMs?: number } = {}): TurnRecord {
  return {
    ...nothingRecorded,
    id: newTurnId(new Date(Date.now() - agoMs)),
    requestId: 'req_test',
    route: '/v1/chat/completions',
    model: 'demo-native',
    engineVersion: '0.11.0',
    strategy: 'auto',
    strategyUsed: 'native',
    dialect: 'hermes',
    client: 'cline',
    streamed: true,
    outcome: 'clean',
    classes: [],
    toolsOffered: 3,
    inputTokens: 100,
    outputTokens: 20,
    tokenSource: 'upstream',
    addedUs: 900,
    firstTokenMs: 40,
    totalMs: 400,
    attempts: 1,
    status: 200,
    calls: [],
    body: null,
    ...overrides,
  };
}

/** A failed turn with its one call and its bodies. */
export const failedTurn = (overrides: Parameters<typeof testTurn>[0] = {}): TurnRecord =>
  testTurn({
    outcome: 'failed',
    classes: ['InvalidJson'],
    calls: [
      {
        n: 0,
        tool: 'write_file',
        outcome: 'failed',
        classes: ['InvalidJson'],
        rules: [],
        action: 'wrapped',
        bytes: 12,
        shape: 'sh1',
      },
    ],
    body: {
      clientRequest: '{"model":"demo-native"}',
      upstreamRequest: '{"model":"m"}',
      raw: [{ choice: 0, text: '<tool_call>{"na', reasoning: '', cuts: [5], fragments: [] }],
      delivered: { content: null },
      notes: [{ stage: 'finalize', class: 'InvalidJson', action: 'wrapped', range: [0, 5] }],
      settings: { strategy: { value: 'auto', source: 'default' } },
    },
    ...overrides,
  });

/** Writes turns as the request path does, and waits until they are in the tables. */
export async function recordTurns({ app, prisma }: TestGateway, turns: readonly TurnRecord[]): Promise<void> {
  const recorder = app.get(PostgresRecorder, { strict: false });
  for (const turn of turns) recorder.add(turn);
  const ids = turns.map(({ id }) => id);
  for (let n = 0; n < 200; n++) {
    if ((await prisma.turn.count({ where: { id: { in: ids } } })) === ids.length) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('the turns were not written');
}
