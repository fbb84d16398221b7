import { isObject, type JsonObject, type JsonValue, parseJson } from '@callsmith/turn';
import type { Exchange } from '../exchange.ts';
import type { PlayedTurn } from '../turn.ts';
import { pieces } from './deltas.ts';
import { errorAnswer } from './errors.ts';
import { type Played, type PlayRequest, play } from './play.ts';

/** Answers `POST /api/chat` as Ollama does: lines of JSON, complete calls with their arguments as objects. */
export async function ollamaChat(exchange: Exchange, request: PlayRequest): Promise<void> {
  const problem = unknownForm(request.body);
  // Its decoder refuses members of a wrong type, with a 400.
  if (problem !== undefined) return exchange.json(400, { error: problem });
  const played = await play(exchange, { ...request, body: chatBody(request.body) });
  const turn = played?.turns[0];
  if (played === undefined || turn === undefined) return;
  const thinks = request.body.think !== false;
  if (request.body.stream === false) {
    const message = { role: 'assistant', ...contentOf(turn, thinks), ...callsOf(turn) };
    return exchange.json(200, { ...head(request), message, ...ending(turn, played) });
  }
  await streamLines(exchange, request, { turn, played, thinks });
}

const head = ({ model }: PlayRequest): JsonObject => ({ model, created_at: new Date().toISOString() });

function ending(turn: PlayedTurn, { promptTokens }: Played): JsonObject {
  return {
    done: true,
    done_reason: turn.finish === 'length' ? 'length' : 'stop',
    total_duration: 5_000_000,
    load_duration: 1_000_000,
    ...(!turn.faults.has('no-usage') && { prompt_eval_count: promptTokens, eval_count: turn.tokens }),
    prompt_eval_duration: 1_000_000,
    eval_duration: 3_000_000,
  };
}

const textOf = (turn: PlayedTurn, kind: 'reasoning' | 'content'): string =>
  turn.segments.map((segment) => (segment.kind === kind ? segment.text : '')).join('');

function contentOf(turn: PlayedTurn, thinks: boolean): JsonObject {
  const thinking = textOf(turn, 'reasoning');
  return { content: textOf(turn, 'content'), ...(thinks && thinking !== '' && { thinking }) };
}

function callsOf(turn: PlayedTurn): JsonObject {
  const calls = turn.segments.flatMap((segment) => (segment.kind === 'call' ? [segment] : []));
  if (calls.length === 0) return {};
  return {
    tool_calls: calls.map(({ id, name, text }, index) => ({
      id: `call_${id.slice(-8)}`,
      function: { index, name, arguments: parseJson(text) ?? {} },
    })),
  };
}

async function streamLines(
  exchange: Exchange,
  request: PlayRequest,
  { turn, played, thinks }: { readonly turn: PlayedTurn; readonly played: Played; readonly thinks: boolean },
): Promise<void> {
  const { controls } = request;
  const message = (more: JsonObject): JsonObject => ({
    ...head(request),
    message: { role: 'assistant', content: '', ...more },
    done: false,
  });
  const lines = [
    ...(thinks ? pieces(textOf(turn, 'reasoning'), controls.chunk).map((thinking) => message({ thinking })) : []),
    ...pieces(textOf(turn, 'content'), controls.chunk).map((content) => message({ content })),
    // Each call is sent in its own line once its closing marker was parsed.
    ...((callsOf(turn).tool_calls as JsonObject[] | undefined) ?? []).map((call) => message({ tool_calls: [call] })),
  ];
  const broken = ['cut-stream', 'cut-call', 'end-stream', 'end-call', 'error-object', 'silent'].find((name) =>
    (turn.faults as ReadonlySet<string>).has(name),
  );
  exchange.openStream('application/x-ndjson');
  if (controls.first > 0) await exchange.wait(controls.first);
  for (const line of broken === undefined ? lines : lines.slice(0, Math.ceil(lines.length / 2))) {
    if (exchange.gone) return;
    await exchange.line(line);
    await (controls.delay > 0 ? exchange.wait(controls.delay) : new Promise((resolve) => setImmediate(resolve)));
  }
  if (broken === 'silent') return exchange.wait(2 ** 31 - 1);
  if (broken?.startsWith('cut')) {
    await exchange.wait(20);
    return exchange.cut();
  }
  if (broken === 'error-object') {
    const { body } = errorAnswer(500, 'an error was encountered while running the model: unexpected EOF', controls);
    await exchange.line({ error: isObject(body) && isObject(body.error) ? String(body.error.message) : String(body) });
  }
  if (broken === undefined && !turn.faults.has('no-finish'))
    await exchange.line({ ...head(request), message: { role: 'assistant', content: '' }, ...ending(turn, played) });
  exchange.endStream();
}

/** The message of Ollama's decoder for a member of a wrong type. */
function unknownForm({ messages }: JsonObject): string | undefined {
  for (const message of Array.isArray(messages) ? messages : []) {
    if (!isObject(message)) continue;
    if (message.content !== undefined && message.content !== null && typeof message.content !== 'string')
      return 'json: cannot unmarshal array into Go struct field ChatRequest.messages.content of type string';
    for (const call of Array.isArray(message.tool_calls) ? message.tool_calls : [])
      if (isObject(call) && isObject(call.function) && !isObject(call.function.arguments))
        return 'json: cannot unmarshal string into Go struct field ToolCallFunction.messages.tool_calls.function.arguments of type api.ToolCallFunctionArguments';
  }
  return undefined;
}

/** A request of this API converted to `/v1/chat/completions`. */
function chatBody({ messages, options, format, ...rest }: JsonObject): JsonObject {
  const { num_predict: most, stop } = isObject(options) ? options : {};
  return {
    ...rest,
    messages: Array.isArray(messages) ? messages.map(chatMessage) : messages,
    ...(most !== undefined && { max_tokens: most }),
    ...(stop !== undefined && { stop }),
    ...(format !== undefined && {
      response_format:
        format === 'json'
          ? { type: 'json_object' }
          : { type: 'json_schema', json_schema: { name: 'f', schema: format } },
    }),
  };
}

function chatMessage(message: JsonValue): JsonValue {
  if (!isObject(message) || !Array.isArray(message.tool_calls)) return message;
  return {
    ...message,
    tool_calls: message.tool_calls.map((call) => {
      const functionObject = isObject(call) && isObject(call.function) ? call.function : {};
      return {
        ...(isObject(call) && call),
        type: 'function',
        function: { name: functionObject.name, arguments: JSON.stringify(functionObject.arguments ?? {}) },
      };
    }),
  };
}
