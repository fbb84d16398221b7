import { expect, it } from 'vitest';
import { newTurnId, turnTime } from '../ids.ts';
import { turnRows } from './insert.ts';
import { testTurn } from './test-turns.ts';

it('a turn is one row, with its fields named like the columns', () => {
  const id = newTurnId(new Date('2026-03-04T05:06:07Z'));
  const { turn } = turnRows(testTurn({ id, errorCode: 'upstream_timeout', addedUs: 12.6 }), '1.2.3');
  expect(JSON.parse(turn)).toEqual({
    id,
    at: turnTime(id).toISOString(),
    request_id: 'req_1',
    route: '/v1/chat/completions',
    team_id: 'team_1',
    key_id: 'key_1',
    model_id: 'model_1',
    model: 'qwen',
    upstream_id: 'up_1',
    engine_version: '0.9.2',
    strategy: 'auto',
    strategy_used: 'native',
    strategy_first: null,
    dialect: 'hermes',
    product_version: '1.2.3',
    client: 'cline',
    conversation: 'c1',
    streamed: true,
    outcome: 'clean',
    classes: [],
    corrected: null,
    tools_offered: 3,
    calls: 1,
    injected_tokens: null,
    input_tokens: 100,
    output_tokens: 20,
    cached_tokens: null,
    fallback_model: null,
    spend: null,
    token_source: 'upstream',
    correction_tokens: null,
    agent_rounds: null,
    agent_limit: null,
    added_us: 13,
    first_token_ms: 120,
    total_ms: 900,
    attempts: 1,
    status: 200,
    error_origin: null,
    error_code: 'upstream_timeout',
    error_message: null,
    stored: false,
  });
});

it('client-chosen names, and messages, are cut; a duration that exceeds its column becomes its maximum', () => {
  const { turn } = turnRows(
    testTurn({
      requestId: 'r'.repeat(300),
      model: 'm'.repeat(300),
      errorMessage: 'e'.repeat(3000),
      addedUs: 1e12,
    }),
    '1.2.3',
  );
  expect(JSON.parse(turn)).toMatchObject({
    request_id: 'r'.repeat(200),
    model: 'm'.repeat(200),
    error_message: 'e'.repeat(2000),
    added_us: 2 ** 31 - 1,
  });
});
