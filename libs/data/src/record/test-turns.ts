import { nothingRecorded } from '@callsmith/testing';
import { newTurnId } from '../ids.ts';
import { bodyRow, type TurnRows, turnRows } from './insert.ts';
import type { CallRecord, TurnRecord } from './turn-record.ts';

/** The fields of a test's turn; its id is made from `at`. */
type TestTurn = Partial<TurnRecord> & { readonly at?: Date };

/** A turn for tests: clean, with one call, by default. */
export function testTurn({ at = new Date(), ...over }: TestTurn = {}): TurnRecord {
  return {
    ...nothingRecorded,
    id: newTurnId(at),
    requestId: 'req_1',
    route: '/v1/chat/completions',
    teamId: 'team_1',
    keyId: 'key_1',
    modelId: 'model_1',
    model: 'qwen',
    upstreamId: 'up_1',
    engineVersion: '0.9.2',
    strategy: 'auto',
    strategyUsed: 'native',
    dialect: 'hermes',
    client: 'cline',
    conversation: 'c1',
    streamed: true,
    outcome: 'clean',
    classes: [],
    toolsOffered: 3,
    inputTokens: 100,
    outputTokens: 20,
    tokenSource: 'upstream',
    addedUs: 500,
    firstTokenMs: 120,
    totalMs: 900,
    attempts: 1,
    status: 200,
    calls: [testCall()],
    body: null,
    ...over,
  };
}

/** A call for tests, clean by default. */
export const testCall = (over: Partial<CallRecord> = {}): CallRecord => ({
  n: 0,
  tool: 'read_file',
  outcome: 'clean',
  classes: [],
  rules: [],
  action: null,
  bytes: 24,
  shape: null,
  ...over,
});

/** A failed turn for tests. */
export const failedTurn = (over: TestTurn = {}): TurnRecord =>
  testTurn({
    outcome: 'failed',
    classes: ['InvalidJson'],
    calls: [testCall({ outcome: 'failed', classes: ['InvalidJson'], action: 'dropped', shape: 's1' })],
    ...over,
  });

/** The rows of a turn with its body, as the recorder writes them. */
export const rowsOf = (turn: TurnRecord, productVersion: string): TurnRows => ({
  ...turnRows(turn, productVersion),
  body: turn.body ? bodyRow(turn.id, turn.body) : undefined,
});
