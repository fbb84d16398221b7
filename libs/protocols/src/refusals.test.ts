import { Fault } from '@callsmith/turn';
import { expect, it } from 'vitest';
import { refusedParameter, refusesTools, rejectedCall } from './refusals.ts';

const refused = (message: string): Fault => new Fault('upstream_rejected', message);

it.each([
  '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
  'registry.ollama.ai/library/gemma:2b does not support tools',
  'tools param requires --jinja flag',
  'This model does not support function calling',
  'Tool calling is not supported for this model',
  'Function calling is not enabled for models/gemma-3-27b-it',
  'No endpoints found that support tool use. To learn more …',
  "Unsupported parameter: 'tools' is not supported with this model.",
  'Unsupported param: tools',
  'tools are not supported in streaming mode',
])('R-10: refuses tools: %s', (message) => {
  expect(refusesTools(refused(message))).toBe(true);
});

it.each([
  'temperature must be non-negative',
  'The tool read_file has no description',
  'max_tokens is too large',
  'Unknown parameter: store',
  'tool_choice is not supported',
])('is not about tools: %s', (message) => {
  expect(refusesTools(refused(message))).toBe(false);
});

it('a client’s or the gateway’s own error never counts as an upstream’s refusal', () => {
  expect(refusesTools(new Fault('invalid_tool_schema', 'this does not support tools'))).toBe(false);
});

it.each([
  [
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    'max_tokens',
  ],
  ['Unrecognized request argument supplied: reasoning_effort', 'reasoning_effort'],
  ['Unrecognized request arguments supplied: min_p, top_k', 'min_p'],
  ["Unknown parameter: 'chat_template_kwargs'.", 'chat_template_kwargs'],
  ["[{'type': 'extra_forbidden', 'loc': ('body', 'store'), 'msg': 'Extra inputs are not permitted'}]", 'store'],
  ['`parallel_tool_calls` is not supported by this model', 'parallel_tool_calls'],
  ["'tool_choice' is not supported", 'tool_choice'],
  ['tool_choice is not supported by this model', 'tool_choice'],
  ['json: unknown field "service_tier"', 'service_tier'],
])('R-8: learns the parameter: %s', (message, name) => {
  expect(refusedParameter(refused(message))).toBe(name);
});

it.each([
  'temperature must be non-negative',
  "Unsupported parameter: 'tools' is not supported with this model.",
  'Invalid value for model',
  'tool_choice = "required" is not supported!',
  'The image is not supported',
])('learns nothing from: %s', (message) => {
  expect(refusedParameter(refused(message))).toBeUndefined();
});

it('a too long context teaches nothing', () => {
  expect(refusedParameter(new Fault('context_length_exceeded', "Unknown parameter: 'store'"))).toBeUndefined();
});

it('finds the engine’s own model’s raw call in its error', () => {
  const raw = '{"path":"a.ts","content":"it\'s\\n"}]';
  const ollama = JSON.stringify({
    error: {
      message: `error parsing tool call: raw='${raw}', err=invalid character ']' after top-level value`,
      type: 'api_error',
    },
  });
  expect(rejectedCall(ollama)).toBe(raw);
  expect(rejectedCall(JSON.stringify({ error: `error parsing tool call: raw='${raw}', err=` }))).toBe(raw);
  const llama = JSON.stringify({
    error: {
      code: 500,
      message: 'Failed to parse input at pos 12: <tool_call>\n<function=write>\n',
      type: 'server_error',
    },
  });
  expect(rejectedCall(llama)).toBe('<tool_call>\n<function=write>\n');
});

it('a complaint about calls in the history is not the model’s call', () => {
  expect(
    rejectedCall(
      '{"error":{"code":500,"message":"Failed to parse tool call arguments as JSON: unexpected end","type":"server_error"}}',
    ),
  ).toBeUndefined();
  expect(rejectedCall('<html>error</html>')).toBeUndefined();
});

it('is linear in hostile error text', () => {
  const text = `${'does not support '.repeat(60_000)}`;
  const started = performance.now();
  refusesTools(refused(text));
  refusedParameter(refused(text));
  rejectedCall(text);
  expect(performance.now() - started).toBeLessThan(500);
});
