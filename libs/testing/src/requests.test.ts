import { inboundAdapters, outboundAdapters } from '@callsmith/protocols';
import { repairHistory } from '@callsmith/toolcall';
import { Fault, type JsonValue } from '@callsmith/turn';
import { expect, it } from 'vitest';
import { malformed } from './requests/malformed.ts';
import { odd } from './requests/odd.ts';
import { seeded } from './requests/random.ts';

const limits = { maxDepth: 64, maxMessages: 2000, maxTools: 256 };
const target = { upstream: 'gpu', kind: 'vllm', baseUrl: 'http://gpu/v1', model: 'm' } as const;

/** All that is asked of a request before it is sent on. */
function forward(request: JsonValue): void {
  const { turn } = repairHistory(inboundAdapters['chat-completions'].parseRequest(request, limits));
  outboundAdapters['openai-chat'].request(turn, target);
}

function refusal(request: JsonValue): Fault | undefined {
  try {
    forward(request);
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

it('SC-009: at least 95 of 100 malformed requests are refused before forwarding, with the right param', () => {
  const random = seeded(9);
  const corpus = Array.from({ length: 500 }, () => malformed(random));
  const missed = corpus.flatMap(({ request, param, about }) => {
    const fault = refusal(structuredClone(request));
    return fault?.param === param
      ? []
      : [`${about}: expected ${param}, ${fault ? `found ${fault.param} (${fault.message})` : 'not refused'}`];
  });
  expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(25);
  expect(missed).toEqual([]);
});

it('SC-007: a refusal says what was found and what was expected', () => {
  const random = seeded(7);
  for (let count = 0; count < 300; count += 1) {
    const { request } = malformed(random);
    const fault = refusal(request);
    expect(fault?.status).toBe(400);
    expect(fault?.message.length).toBeGreaterThan(20);
    expect(fault?.message).toContain(fault?.param?.split('.')[0]);
  }
});

it('SC-004, FR-012, FR-019: none of 500 unusual but valid requests is refused', () => {
  const random = seeded(4);
  const refused = Array.from({ length: 500 }, () => odd(random)).flatMap(({ request, about }) => {
    const fault = refusal(request);
    return fault ? [`${about}: ${fault.param}: ${fault.message}`] : [];
  });
  expect(refused).toEqual([]);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});
