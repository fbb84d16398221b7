import { isObject, type JsonObject } from '@callsmith/turn';
import type { Controls } from '../controls.ts';
import type { Exchange } from '../exchange.ts';
import type { PlayedTurn } from '../turn.ts';
import { type Delta, deltas, wholeMessage } from './deltas.ts';
import { engineRejection, errorAnswer } from './errors.ts';
import { type PlayRequest, play } from './play.ts';

/** Answers `POST /v1/chat/completions`. */
export async function chat(exchange: Exchange, request: PlayRequest): Promise<void> {
  const { body, model, controls } = request;
  const played = await play(exchange, request);
  if (played === undefined) return;
  const { turns, random, promptTokens } = played;
  const head = { id: `chatcmpl-${random.hex(32)}`, created: Math.floor(Date.now() / 1000), model };
  if (body.stream === true) return streamTurns(exchange, { turns, head, body, controls, promptTokens });
  if (controls.first > 0) await exchange.wait(controls.first);
  const tokens = turns.reduce((sum, each) => sum + each.tokens, 0);
  const counted = turns[0]?.faults.has('no-usage') !== true;
  exchange.json(200, wholeAnswer(turns, head, counted ? usageOf(promptTokens, tokens) : undefined));
}

interface Head extends JsonObject {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

const usageOf = (prompt: number, completion: number): JsonObject => ({
  prompt_tokens: prompt,
  total_tokens: prompt + completion,
  completion_tokens: completion,
});

function wholeAnswer(turns: readonly PlayedTurn[], head: Head, usage: JsonObject | undefined): JsonObject {
  const choices = turns.map((turn, index) => ({
    index,
    message: wholeMessage(turn),
    logprobs: null,
    ...finishOf(turn),
  }));
  return {
    id: head.id,
    object: 'chat.completion',
    created: head.created,
    model: head.model,
    choices,
    ...(usage && { usage: { ...usage, prompt_tokens_details: null } }),
    prompt_logprobs: null,
  };
}

function finishOf({ faults, finish, stopReason }: PlayedTurn): JsonObject {
  if (faults.has('no-finish')) return { finish_reason: null };
  const reason = faults.has('finish-stop')
    ? 'stop'
    : faults.has('finish-length')
      ? 'length'
      : faults.has('finish-calls')
        ? 'tool_calls'
        : finish;
  return { finish_reason: reason, stop_reason: stopReason };
}

interface Streamed {
  readonly turns: readonly PlayedTurn[];
  readonly head: Head;
  readonly body: JsonObject;
  readonly controls: Controls;
  readonly promptTokens: number;
}

async function streamTurns(exchange: Exchange, { turns, head, body, controls, promptTokens }: Streamed): Promise<void> {
  const options = isObject(body.stream_options) ? body.stream_options : {};
  const faults = turns[0]?.faults ?? new Set();
  const always = options.continuous_usage_stats === true || faults.has('usage-always');
  let tokens = 0;
  const chunk = (choices: JsonObject[], usage?: JsonObject) =>
    exchange.event(
      JSON.stringify({
        id: head.id,
        object: 'chat.completion.chunk',
        created: head.created,
        model: head.model,
        choices,
        ...(usage && { usage }),
      }),
    );
  const running = () => (always ? usageOf(promptTokens, tokens) : undefined);

  exchange.openStream();
  if (controls.first > 0) await exchange.wait(controls.first);
  const queue = interleave(turns.map((turn) => deltas(turn, controls.chunk)));
  const breaks = breakPoint(queue, faults);
  for (const [at, { choice, delta }] of queue.entries()) {
    if (exchange.gone) return;
    if (at === breaks) return breakOff(exchange, turns[0], controls);
    if (at === Math.floor(queue.length / 2) && controls.silence > 0) await exchange.wait(controls.silence);
    tokens += delta.tokens;
    await chunk([{ index: choice, delta: delta.delta, logprobs: null, finish_reason: null }], running());
    if (at > 0) await pause(exchange, controls.delay);
  }
  for (const [index, turn] of turns.entries()) {
    if (faults.has('no-finish')) continue;
    await chunk(
      [
        {
          index,
          delta: turn.segments.some((each) => each.kind === 'call') ? {} : { content: '' },
          logprobs: null,
          ...finishOf(turn),
        },
      ],
      running(),
    );
  }
  tokens = turns.reduce((sum, each) => sum + each.tokens, 0);
  if (options.include_usage === true && !faults.has('no-usage')) await chunk([], usageOf(promptTokens, tokens));
  if (!faults.has('no-done')) await exchange.event('[DONE]');
  exchange.endStream();
}

const pause = (exchange: Exchange, delay: number): Promise<void> =>
  delay > 0 ? exchange.wait(delay) : new Promise((resolve) => setImmediate(resolve));

/** The choices' deltas interleaved, as an engine that decodes them in parallel sends them. */
function interleave(lists: readonly Delta[][]): { choice: number; delta: Delta }[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  const queue: { choice: number; delta: Delta }[] = [];
  for (let at = 0; at < longest; at++) {
    for (const [choice, list] of lists.entries()) {
      const delta = list[at];
      if (delta !== undefined) queue.push({ choice, delta });
    }
  }
  return queue;
}

/** Where a fault breaks the stream: in the middle of the response, or of its call. */
function breakPoint(queue: readonly { delta: Delta }[], faults: ReadonlySet<string>): number | undefined {
  if (faults.has('cut-call') || faults.has('end-call')) {
    const first = queue.findIndex(({ delta }) => delta.call);
    // A call written as text is the end of the response.
    return first < 0 ? Math.floor(queue.length * 0.8) : first + Math.ceil((queue.length - first) / 2);
  }
  const middle = ['cut-stream', 'end-stream', 'error-object', 'engine-error', 'bad-chunk', 'silent'].some((name) =>
    faults.has(name),
  );
  return middle ? Math.ceil(queue.length / 2) : undefined;
}

async function breakOff(exchange: Exchange, turn: PlayedTurn | undefined, controls: Controls): Promise<void> {
  const faults = turn?.faults ?? new Set<string>();
  if (faults.has('silent')) return exchange.wait(2 ** 31 - 1);
  if (faults.has('cut-stream') || faults.has('cut-call')) {
    // Written data must be sent before the reset drops it.
    await exchange.wait(20);
    return exchange.cut();
  }
  if (faults.has('error-object'))
    await exchange.event(
      JSON.stringify(
        errorAnswer(500, 'EngineCore encountered an issue. See stack trace (above) for the root cause.', controls).body,
      ),
    );
  if (faults.has('engine-error') && turn?.raw !== undefined)
    await exchange.event(JSON.stringify(engineRejection(turn.raw, controls).body));
  if (faults.has('bad-chunk')) await exchange.event('{"id":"chatcmpl-1","object":"chat.completion.ch');
  exchange.endStream();
}
