import { isObject, type JsonObject, type JsonValue, parseJson } from '@callsmith/turn';
import type { Exchange } from '../exchange.ts';
import type { PlayedTurn, Segment } from '../turn.ts';
import { pieces } from './deltas.ts';
import { errorAnswer } from './errors.ts';
import { type Played, type PlayRequest, play } from './play.ts';
import { chatBodyOf, toolOrigin } from './responses-body.ts';

/** Answers `POST /v1/responses` as LM Studio and vLLM do: one output item for each part of the response. */
export async function respond(exchange: Exchange, request: PlayRequest): Promise<void> {
  const body = chatBodyOf(request.body);
  const played = await play(exchange, { ...request, body });
  const turn = played?.turns[0];
  if (played === undefined || turn === undefined) return;
  const response = envelope(request, played);
  const items = turn.segments.map((segment) => outputItem(segment, played, request.body.tools));
  if (request.body.stream !== true) return exchange.json(200, { ...response, ...ending(turn, played), output: items });
  await streamItems(exchange, request, { turn, items, response, ending: ending(turn, played) });
}

const envelope = ({ body, model }: PlayRequest, { random }: Played): JsonObject => ({
  id: `resp_${random.hex(32)}`,
  object: 'response',
  created_at: Math.floor(Date.now() / 1000),
  status: 'in_progress',
  model,
  error: null,
  incomplete_details: null,
  instructions: body.instructions ?? null,
  metadata: null,
  output: [],
  parallel_tool_calls: body.parallel_tool_calls ?? true,
  previous_response_id: null,
  temperature: 1,
  tool_choice: body.tool_choice ?? 'auto',
  tools: body.tools ?? [],
  top_p: 1,
  usage: null,
});

function ending(turn: PlayedTurn, { promptTokens }: Played): JsonObject {
  const cut = turn.finish === 'length';
  return {
    status: cut ? 'incomplete' : 'completed',
    incomplete_details: cut ? { reason: 'max_output_tokens' } : null,
    usage: turn.faults.has('no-usage')
      ? null
      : {
          input_tokens: promptTokens,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: turn.tokens,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: promptTokens + turn.tokens,
        },
  };
}

function outputItem(segment: Segment, { random }: Played, tools: JsonValue | undefined): JsonObject {
  const status = 'completed';
  if (segment.kind !== 'call') {
    const part = { type: segment.kind === 'content' ? 'output_text' : 'reasoning_text', text: segment.text };
    if (segment.kind === 'reasoning')
      return { type: 'reasoning', id: `rs_${random.hex(24)}`, summary: [], content: [part], status };
    return {
      type: 'message',
      id: `msg_${random.hex(24)}`,
      role: 'assistant',
      status,
      content: [{ ...part, annotations: [] }],
    };
  }
  const { namespace, freeform } = toolOrigin(tools, segment.name);
  const call = { id: `fc_${random.hex(24)}`, call_id: segment.id, name: segment.name, status };
  if (!freeform)
    return { type: 'function_call', ...call, ...(namespace !== undefined && { namespace }), arguments: segment.text };
  const args = parseJson(segment.text);
  return { type: 'custom_tool_call', ...call, input: isObject(args) ? String(args.input) : segment.text };
}

interface Streaming {
  readonly turn: PlayedTurn;
  readonly items: readonly JsonObject[];
  readonly response: JsonObject;
  readonly ending: JsonObject;
}

async function streamItems(
  exchange: Exchange,
  { controls }: PlayRequest,
  { turn, items, response, ending: end }: Streaming,
): Promise<void> {
  let number = 0;
  const sendEvent = (type: string, fields: JsonObject) =>
    exchange.event(JSON.stringify({ type, sequence_number: number++, ...fields }), type);
  const broken = ['cut-stream', 'cut-call', 'end-stream', 'end-call', 'error-object', 'silent'].some((name) =>
    (turn.faults as ReadonlySet<string>).has(name),
  );
  exchange.openStream();
  await sendEvent('response.created', { response });
  await sendEvent('response.in_progress', { response });
  if (controls.first > 0) await exchange.wait(controls.first);
  for (const [index, item] of items.entries()) {
    const text = turn.segments[index]?.text ?? '';
    const parts = pieces(text, controls.chunk);
    const breaks = broken && index === items.length - 1;
    const { done, part } = framesOf(item);
    await sendEvent('response.output_item.added', {
      output_index: index,
      item: { ...item, ...emptyFields(item), status: 'in_progress' },
    });
    if (part !== undefined)
      await sendEvent('response.content_part.added', { ...place(item, index), part: { ...part, text: '' } });
    for (const delta of breaks ? parts.slice(0, parts.length / 2) : parts) {
      if (exchange.gone) return;
      await sendEvent(`${done.slice(0, -'done'.length)}delta`, { ...place(item, index), delta });
      await (controls.delay > 0 ? exchange.wait(controls.delay) : new Promise((resolve) => setImmediate(resolve)));
    }
    if (breaks) return breakOff(exchange, turn, sendEvent);
    await sendEvent(done, { ...place(item, index), ...doneFields(item) });
    if (part !== undefined) await sendEvent('response.content_part.done', { ...place(item, index), part });
    await sendEvent('response.output_item.done', { output_index: index, item });
  }
  if (!turn.faults.has('no-finish'))
    await sendEvent(`response.${String(end.status)}`, { response: { ...response, ...end, output: [...items] } });
  exchange.endStream();
}

async function breakOff(
  exchange: Exchange,
  { faults }: PlayedTurn,
  sendEvent: (type: string, fields: JsonObject) => Promise<void>,
): Promise<void> {
  if (faults.has('silent')) return exchange.wait(2 ** 31 - 1);
  if (faults.has('cut-stream') || faults.has('cut-call')) {
    await exchange.wait(20);
    return exchange.cut();
  }
  const { error } = errorAnswer(500, 'EngineCore encountered an issue.', { engine: 'vllm', errors: 'new' })
    .body as JsonObject;
  if (faults.has('error-object')) await sendEvent('error', isObject(error) ? error : {});
  exchange.endStream();
}

/** The event that ends an item's deltas, and the part that frames a message's text. */
function framesOf(item: JsonObject): { done: string; part: JsonObject | undefined } {
  if (item.type === 'function_call') return { done: 'response.function_call_arguments.done', part: undefined };
  if (item.type === 'custom_tool_call') return { done: 'response.custom_tool_call_input.done', part: undefined };
  if (item.type === 'reasoning') return { done: 'response.reasoning_text.done', part: undefined };
  return { done: 'response.output_text.done', part: partOf(item) };
}

/** An item before its first delta. */
function emptyFields(item: JsonObject): JsonObject {
  if (item.type === 'function_call') return { arguments: '' };
  return item.type === 'custom_tool_call' ? { input: '' } : { content: [] };
}

/** The fields that a `….done` event of an item repeats. */
function doneFields(item: JsonObject): JsonObject {
  if (item.type === 'function_call') return { name: item.name, arguments: item.arguments };
  if (item.type === 'custom_tool_call') return { input: item.input };
  return { text: partOf(item).text };
}

const place = (item: JsonObject, index: number): JsonObject => ({
  item_id: item.id,
  output_index: index,
  ...(Array.isArray(item.content) && { content_index: 0 }),
});

function partOf(item: JsonObject): JsonObject {
  const [part] = Array.isArray(item.content) ? item.content.filter(isObject) : [];
  return part ?? {};
}
