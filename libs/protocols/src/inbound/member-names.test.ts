import { Fault, type FaultCode } from '@callsmith/turn';
import { expect, it } from 'vitest';
import { inboundAdapters } from '../index.ts';

const { 'chat-completions': chat, responses, messages, gemini } = inboundAdapters;

/** The member that an API's error names. */
function namedBy(adapter: typeof chat, code: FaultCode, param: string): unknown {
  const { body } = adapter.errorResponse(new Fault(code, 'Why.', { param }), 'req_1');
  const { error } = body as { error: { param?: unknown; details?: [{ metadata: { param?: unknown } }] } };
  return error.details ? error.details[0].metadata.param : error.param;
}

it.each([
  ['messages', 'messages', 'input', 'messages', 'contents'],
  ['max_tokens', 'max_tokens', 'max_output_tokens', 'max_tokens', 'generationConfig.maxOutputTokens'],
  ['stop', 'stop', 'stop', 'stop_sequences', 'generationConfig.stopSequences'],
  ['temperature', 'temperature', 'temperature', 'temperature', 'generationConfig.temperature'],
  ['tools', 'tools', 'tools', 'tools', 'tools'],
  // Of a model server's `/v1/responses`.
  ['input[2].content', 'messages', 'input', 'messages', 'contents'],
  ['max_output_tokens', 'max_completion_tokens', 'max_output_tokens', 'max_tokens', 'generationConfig.maxOutputTokens'],
])('a model server that refuses `%s` is reported in the words of each API', (param, ...expected) => {
  const named = [chat, responses, messages, gemini].map((adapter) => namedBy(adapter, 'upstream_rejected', param));
  expect(named).toEqual(expected);
});

it("the gateway's own errors about the conversation name it in the words of each API, and other members as they are", () => {
  for (const code of ['tool_call_limit', 'repeated_tool_call', 'context_length_exceeded'] as const)
    expect([chat, responses, messages, gemini].map((adapter) => namedBy(adapter, code, 'messages'))).toEqual([
      'messages',
      'input',
      'messages',
      'contents',
    ]);
  expect(namedBy(responses, 'invalid_parameter', 'max_tokens')).toBe('max_tokens');
  expect(namedBy(gemini, 'invalid_parameter', 'contents[3].parts')).toBe('contents[3].parts');
});
