import type { TurnDetail } from '@callsmith/contracts';
import { expect, it } from 'vitest';
import { bugReportOf } from './bug-report.ts';

const detail = (text: string) =>
  ({
    turn: {
      id: 'turn_1',
      at: '2026-11-23T10:00:00.000Z',
      requestId: 'req_of_a_person',
      team: 'Payments',
      key: 'ada@example.com',
      upstream: 'gpu-7.internal',
      conversation: 'conv_1',
      route: '/v1/chat/completions',
      model: 'qwen',
      engineVersion: 'vllm 0.15.0',
      strategyUsed: 'native',
      dialect: 'hermes',
      client: 'cline',
      streamed: true,
      status: 200,
      outcome: 'failed',
      classes: ['LeakedCall'],
      errorCode: null,
      errorMessage: null,
    },
    callList: [],
    body: {
      clientRequest: '{"model":"qwen"}',
      upstreamRequest: '{"model":"qwen","stream":true}',
      raw: [{ choice: 0, text, reasoning: 'hm', cuts: [3], fragments: [] }],
      delivered: [{ text: 'x', calls: [] }],
      tries: null,
      rounds: null,
      timeline: null,
      notes: [{ stage: 'parse', class: 'LeakedCall', rule: 'leaked-call', action: 'repaired' }],
      settings: { strategy: { value: 'native', source: 'declared' } },
    },
    bodyMissing: null,
  }) as unknown as TurnDetail;

it('has what is needed to see the failure elsewhere, and a command that sends the request again', () => {
  const report = bugReportOf(detail('<tool_call>{'), '0.2.0');
  for (const part of [
    'vllm 0.15.0',
    'hermes',
    'LeakedCall',
    'leaked-call',
    '<tool_call>{',
    '"stream": true',
    'curl',
    '0.2.0',
  ])
    expect(report).toContain(part);
});

it('names neither who asked nor where the model runs', () => {
  const report = bugReportOf(detail('said'), '0.2.0');
  for (const part of ['Payments', 'ada@example.com', 'gpu-7.internal', 'req_of_a_person', 'conv_1', 'localhost'])
    expect(report).not.toContain(part);
});

it.each(['```', '`````\n# a heading', '~~~', 'ends in `'])('text of the model stays within its block: %j', (text) => {
  const report = bugReportOf(detail(text), '0.2.0');
  const [, fence = ''] = /## Model output\n\n(`+)text\n/.exec(report) ?? [];
  const inside = report.slice(report.indexOf(`${fence}text\n`) + fence.length + 5);
  expect(inside.slice(0, inside.indexOf(`\n${fence}\n`))).toContain(text);
});
