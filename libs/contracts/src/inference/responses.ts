import { z } from 'zod';

// Responses and events of `/v1/responses`, following the schema of Open Responses (https://www.openresponses.org) and,
// where that has none, OpenAI's. docs/api.md lists the differences.

const id = z.string().min(1);
const index = z.int().min(0);
const tokens = z.int().min(0);

const outputText = z.strictObject({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(z.unknown()).max(0),
  logprobs: z.array(z.unknown()).max(0),
});
const reasoningText = z.strictObject({ type: z.literal('reasoning_text'), text: z.string() });
const itemStatus = z.enum(['in_progress', 'completed', 'incomplete']);

const message = z.strictObject({
  type: z.literal('message'),
  id,
  status: itemStatus,
  role: z.literal('assistant'),
  content: z.array(outputText),
});

const reasoning = z.strictObject({
  type: z.literal('reasoning'),
  id,
  status: itemStatus,
  summary: z.array(z.unknown()).max(0),
  content: z.array(reasoningText),
  encrypted_content: z.string().optional().meta({ description: 'Present if `include` requested it.' }),
});

const callMembers = { id, status: itemStatus, call_id: id, name: z.string(), namespace: z.string().optional() };
const functionCall = z.strictObject({ type: z.literal('function_call'), ...callMembers, arguments: z.string() });
const customCall = z.strictObject({ type: z.literal('custom_tool_call'), ...callMembers, input: z.string() });

const clientCall = { id, status: itemStatus, call_id: id };
const shellCall = z.strictObject({
  type: z.literal('shell_call'),
  ...clientCall,
  action: z.strictObject({
    commands: z.array(z.string()),
    timeout_ms: z.number().nullable(),
    max_output_length: z.number().nullable(),
  }),
});
const localShellCall = z.strictObject({
  type: z.literal('local_shell_call'),
  ...clientCall,
  action: z.looseObject({
    type: z.literal('exec'),
    command: z.array(z.string()),
    env: z.record(z.string(), z.unknown()),
  }),
});
const toolSearchCall = z.strictObject({
  type: z.literal('tool_search_call'),
  ...clientCall,
  execution: z.literal('client'),
  arguments: z.looseObject({}).meta({ description: 'What is searched for, as the model gave it.' }),
});
const patchCall = z.strictObject({
  type: z.literal('apply_patch_call'),
  ...clientCall,
  operation: z.looseObject({}).meta({ description: '`type`, `path` and `diff`, as the model wrote them.' }),
});

const mcpCallMembers = { id, server_label: z.string(), name: z.string(), arguments: z.string() };
const mcpTools = z.strictObject({
  type: z.literal('mcp_list_tools'),
  id,
  server_label: z.string(),
  tools: z.array(
    z.strictObject({
      name: z.string(),
      description: z.string().nullable(),
      input_schema: z.looseObject({}),
      annotations: z.null(),
    }),
  ),
  error: z.null(),
});
const mcpCall = z.strictObject({
  type: z.literal('mcp_call'),
  ...mcpCallMembers,
  status: z.enum(['in_progress', 'completed', 'incomplete', 'failed']),
  output: z.string().nullable(),
  error: z.string().nullable(),
  approval_request_id: z.string().nullable(),
});
const mcpApproval = z.strictObject({ type: z.literal('mcp_approval_request'), ...mcpCallMembers });

const outputItem = z.discriminatedUnion('type', [
  message,
  reasoning,
  functionCall,
  customCall,
  shellCall,
  localShellCall,
  toolSearchCall,
  patchCall,
  mcpTools,
  mcpCall,
  mcpApproval,
]);

const usage = z.strictObject({
  input_tokens: tokens,
  input_tokens_details: z.strictObject({ cached_tokens: tokens }),
  output_tokens: tokens,
  output_tokens_details: z.strictObject({ reasoning_tokens: tokens }),
  total_tokens: tokens,
  estimated: z.literal(true).optional().meta({ description: 'The upstream reported no usage; Callsmith counted.' }),
});

const functionTool = z.looseObject({
  type: z.literal('function'),
  name: z.string(),
  description: z.string().nullable(),
  parameters: z.record(z.string(), z.unknown()).nullable(),
  strict: z.boolean().nullable(),
});
const otherTool = z.looseObject({ type: z.string() }).refine(({ type }) => type !== 'function');

/** A response, complete or in progress. */
export const response = z.strictObject({
  id: z.string().startsWith('resp_'),
  object: z.literal('response'),
  created_at: z.int(),
  completed_at: z.int().nullable(),
  status: z.enum(['in_progress', 'completed', 'incomplete', 'failed']),
  incomplete_details: z.strictObject({ reason: z.enum(['max_output_tokens', 'content_filter']) }).nullable(),
  model: z.string(),
  previous_response_id: z.string().nullable(),
  instructions: z.string().nullable(),
  output: z.array(outputItem),
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  tools: z.array(z.union([functionTool, otherTool])),
  tool_choice: z.union([z.enum(['none', 'auto', 'required']), z.looseObject({ type: z.string() })]),
  truncation: z.literal('disabled'),
  parallel_tool_calls: z.boolean(),
  text: z.looseObject({ format: z.looseObject({ type: z.string() }) }),
  top_p: z.number(),
  presence_penalty: z.number(),
  frequency_penalty: z.number(),
  top_logprobs: z.int(),
  temperature: z.number(),
  reasoning: z.looseObject({ effort: z.string().nullable(), summary: z.string().nullable() }),
  usage: usage.nullable(),
  max_output_tokens: z.int().nullable(),
  max_tool_calls: z.int().nullable(),
  store: z.boolean(),
  background: z.literal(false),
  service_tier: z.string(),
  metadata: z.record(z.string(), z.unknown()),
  safety_identifier: z.string().nullable(),
  prompt_cache_key: z.string().nullable(),
  user: z.string().nullable(),
});

const event = <Type extends string, Members extends z.ZodRawShape>(type: Type, members: Members) =>
  z.strictObject({ type: z.literal(type), sequence_number: index, ...members });
const piece = { item_id: id, output_index: index };
const part = { ...piece, content_index: z.literal(0) };

/** An event of a streamed response. */
export const responseEvent = z.discriminatedUnion('type', [
  event('response.created', { response }),
  event('response.in_progress', { response }),
  event('response.output_item.added', { output_index: index, item: outputItem }),
  event('response.content_part.added', { ...part, part: z.union([outputText, reasoningText]) }),
  event('response.output_text.delta', { ...part, delta: z.string(), logprobs: z.array(z.unknown()) }),
  event('response.output_text.done', { ...part, text: z.string(), logprobs: z.array(z.unknown()) }),
  event('response.reasoning_text.delta', { ...part, delta: z.string() }),
  event('response.reasoning_text.done', { ...part, text: z.string() }),
  event('response.content_part.done', { ...part, part: z.union([outputText, reasoningText]) }),
  event('response.function_call_arguments.delta', { ...piece, delta: z.string() }),
  event('response.function_call_arguments.done', { ...piece, name: z.string(), arguments: z.string() }),
  event('response.custom_tool_call_input.delta', { ...piece, delta: z.string() }),
  event('response.custom_tool_call_input.done', { ...piece, input: z.string() }),
  event('response.mcp_list_tools.in_progress', piece),
  event('response.mcp_list_tools.completed', piece),
  event('response.mcp_call.in_progress', piece),
  event('response.mcp_call_arguments.delta', { ...piece, delta: z.string() }),
  event('response.mcp_call_arguments.done', { ...piece, arguments: z.string() }),
  event('response.mcp_call.completed', piece),
  event('response.mcp_call.failed', piece),
  event('response.output_item.done', { output_index: index, item: outputItem }),
  event('response.completed', { response }),
  event('response.incomplete', { response }),
  event('response.failed', { response }),
  event('callsmith:keepalive', {}),
]);

const toolParam = z.looseObject({ type: z.string().optional() });

/** The body of `/v1/responses`; other members are parameters of the model and passed on. */
export const responseRequest = z.looseObject({
  model: z.string(),
  input: z.union([z.string(), z.array(z.looseObject({}))]).optional(),
  instructions: z.string().nullish(),
  previous_response_id: z.string().nullish(),
  store: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  tools: z.array(toolParam).nullish(),
  tool_choice: z.union([z.string(), z.looseObject({ type: z.string() })]).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  include: z.array(z.string()).nullish(),
  reasoning: z.looseObject({ effort: z.string().nullish(), summary: z.string().nullish() }).nullish(),
  text: z.looseObject({}).nullish(),
  max_output_tokens: z.int().min(1).nullish(),
  max_tool_calls: z.int().min(1).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  metadata: z.looseObject({}).nullish(),
});

/** A deleted response. */
export const deletedResponse = z.strictObject({
  id: z.string(),
  object: z.literal('response'),
  deleted: z.literal(true),
});

const callOutput = { id, status: itemStatus, call_id: id, output: z.union([z.string(), z.array(z.looseObject({}))]) };
const inputMessage = z.strictObject({
  type: z.literal('message'),
  id,
  status: itemStatus,
  role: z.enum(['user', 'system', 'developer']),
  content: z.array(z.looseObject({ type: z.string() })),
});

/** The input of a response. */
export const inputItemList = z.strictObject({
  object: z.literal('list'),
  data: z.array(
    z.union([
      inputMessage,
      outputItem,
      z.strictObject({ type: z.literal('function_call_output'), ...callOutput }),
      z.strictObject({ type: z.literal('custom_tool_call_output'), ...callOutput }),
    ]),
  ),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
  has_more: z.boolean(),
});

/** The tokens of a prompt. */
export const responseInputTokens = z.strictObject({
  object: z.literal('response.input_tokens'),
  input_tokens: tokens,
});
