import { newTurnId } from '../ids.ts';
import type { CallRecord, TurnRecord } from './turn-record.ts';

/** A turn for tests: clean, with one call, unless told otherwise. */
export function testTurn(over: Partial<TurnRecord> & { calls?: readonly CallRecord[] } = {}): TurnRecord {
  const at = over.at ?? new Date();
  return {
    id: newTurnId(at),
    at,
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
    injectedTokens: null,
    inputTokens: 100,
    outputTokens: 20,
    cachedTokens: null,
    tokenSource: 'upstream',
    addedUs: 500,
    firstTokenMs: 120,
    totalMs: 900,
    attempts: 1,
    status: 200,
    errorOrigin: null,
    errorCode: null,
    errorMessage: null,
    calls: [testCall()],
    body: null,
    ...over,
  };
}

/** A clean call for tests, unless told otherwise. */
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
export const failedTurn = (over: Partial<TurnRecord> = {}): TurnRecord =>
  testTurn({
    outcome: 'failed',
    classes: ['InvalidJson'],
    calls: [testCall({ outcome: 'failed', classes: ['InvalidJson'], action: 'dropped', shape: 's1' })],
    ...over,
  });
