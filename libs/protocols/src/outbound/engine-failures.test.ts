import { cpuMs } from '@callsmith/testing';
import { Fault } from '@callsmith/turn';
import { expect, it } from 'vitest';
import { type EngineFailureKind, engineFailure, occursInRequest } from './engine-failures.ts';
import { refusedParameter } from './refused-parameter.ts';
import { rejectedCall } from './rejected-call.ts';

const failureOf = (body: string, constrained = false) =>
  engineFailure({ fault: new Fault('upstream_rejected'), body }, constrained);
const kindOf = (message: string, constrained = false): EngineFailureKind | undefined =>
  failureOf(message, constrained)?.kind;
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
  '`tools` is not supported',
  'Tool calling is disabled',
  "[{'type': 'extra_forbidden', 'loc': ('body', 'tools'), 'msg': 'Extra inputs are not permitted', 'input': [",
])('R-10: refuses tools: %s', (message) => {
  expect(kindOf(message)).toBe('tools');
});

it.each([
  'temperature must be non-negative',
  'The tool read_file has no description',
  'max_tokens is too large',
  'Unknown parameter: store',
  'tool_choice is not supported',
])('is not about tools: %s', (message) => {
  expect(kindOf(message)).not.toBe('tools');
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
  expect(refusedParameter(refused(message))?.name).toBe(name);
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

it('an overlong context teaches nothing', () => {
  expect(refusedParameter(new Fault('context_length_exceeded', "Unknown parameter: 'store'"))).toBeUndefined();
});

it('finds the raw call of the engine’s own model in its error', () => {
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

it('an error about calls in the history is not the model’s call', () => {
  expect(
    rejectedCall(
      '{"error":{"code":500,"message":"Failed to parse tool call arguments as JSON: unexpected end","type":"server_error"}}',
    ),
  ).toBeUndefined();
  expect(rejectedCall('<html>error</html>')).toBeUndefined();
});

it('is linear in hostile error text', () => {
  const text = `${'does not support '.repeat(60_000)}`;
  const started = cpuMs();
  failureOf(text, true);
  failureOf(JSON.stringify({ error: { message: `${"'".repeat(300_000)}` } }), true);
  refusedParameter(refused(text));
  rejectedCall(text);
  expect(cpuMs() - started).toBeLessThan(500);
});

it.each<[EngineFailureKind, string]>([
  ['tool-choice', "Invalid tool_choice type: 'object'. Supported string values: none, auto, required"],
  ['tool-choice', "No endpoints found that support the provided 'tool_choice' value."],
  ['grammar', 'The provided JSON schema contains features not supported by xgrammar.'],
  ['grammar', 'Failed to initialize samplers: failed to parse grammar'],
  ['grammar', 'failed to parse grammar'],
  [
    'grammar',
    'Unable to generate parser for this template. Automatic parser generation failed: JSON schema conversion failed: x',
  ],
  ['parser', 'The model produced output that does not match the expected peg-native format'],
  ['parser', 'Failed to parse input at pos 12: <tool_call>'],
  ['parser', 'unexpected tokens remaining in message header: Some("to=functions.f")'],
  ['history', 'Failed to parse tool call arguments as JSON: [json.exception.parse_error.101] …'],
  ['template', 'Unable to generate parser for this template. Automatic parser generation failed: x'],
  ['template', 'Error rendering prompt with jinja template: "No user query found in messages."'],
  ['context', "This model's maximum context length is 4096 tokens. However, you requested 5000."],
])('%s: %s', (kind, message) => {
  expect(kindOf(message)).toBe(kind);
  expect(kindOf(JSON.stringify({ error: { message } }))).toBe(kind);
  expect(kindOf(JSON.stringify({ error: message }))).toBe(kind);
  expect(kindOf(`The model server ended its response with an error: ${message}`)).toBe(kind);
});

it('a client’s or the gateway’s own error never counts as an upstream’s refusal', () => {
  const fault = new Fault('invalid_tool_schema', 'This model does not support tools');
  expect(engineFailure({ fault }, false)).toBeUndefined();
});

it('an internal error counts as a grammar’s only if one was used', () => {
  expect([kindOf('Internal server error', true), kindOf('Internal server error')]).toEqual(['internal', undefined]);
});

const echoed = 'my car does not support tools';
it.each([
  `[{'type': 'string_type', 'loc': ('body', 'messages', 0), 'msg': 'Input should be a valid string', 'input': '${echoed}'}]`,
  `Invalid message: "${echoed}"`,
  `The tool_choice is wrong; tools = [{"name":"Unsupported param: tools"}]`,
  `Cannot read the message “${echoed}”`,
  `Bad request: tools is not supported, says the user`,
])('D-37: text of the request that an engine repeats is not its own: %s', (message) => {
  expect(kindOf(message)).toBeUndefined();
  expect(refusedParameter(refused(message))).toBeUndefined();
});

it('D-37: words of the request teach nothing; the names among them may', () => {
  const failure = failureOf('registry.ollama.ai/library/gemma:2b does not support tools');
  expect(occursInRequest(failure?.phrases ?? [], '{"model":"registry.ollama.ai/library/gemma:2b"}')).toBe(false);
  expect(occursInRequest(failure?.phrases ?? [], '{"content":"why: gemma does not support tools"}')).toBe(true);
  const parameter = refusedParameter(refused("Unsupported parameter: 'logit_bias' is not supported."));
  expect(occursInRequest(parameter?.phrases ?? [], '{"logit_bias":{}}')).toBe(false);
  expect(occursInRequest(parameter?.phrases ?? [], '{"content":"Unsupported parameter: \'x\'"}')).toBe(true);
});
