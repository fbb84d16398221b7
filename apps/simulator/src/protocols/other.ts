import type { JsonObject, JsonValue } from '@callsmith/turn';
import type { Controls } from '../controls.ts';
import type { Exchange } from '../exchange.ts';
import { hash, randomFrom } from '../random.ts';
import { countTokens, renderPrompt, splitTokens, tokenIds } from '../tokens.ts';
import { pieces } from './deltas.ts';
import { overflow } from './errors.ts';

/** Answers `POST /tokenize`: a `prompt`, or `messages` with `tools`, counted as usage counts them. */
export function tokenize(exchange: Exchange, body: JsonObject, controls: Controls): void {
  const text = typeof body.prompt === 'string' ? body.prompt : renderPrompt(body.messages, body.tools);
  const tokens = tokenIds(text);
  exchange.json(200, { count: tokens.length, max_model_len: controls.context, tokens, token_strs: null });
}

/** The list in the response of `GET /v1/models`. */
export function modelList(ids: readonly string[], contextOf: (id: string) => number): JsonObject {
  const data = ids.map((id) => ({
    id,
    object: 'model',
    created: 1_760_000_000,
    owned_by: 'vllm',
    root: id,
    parent: null,
    max_model_len: contextOf(id),
    permission: [],
  }));
  return { object: 'list', data };
}

/** Answers `POST /v1/completions` with prose that quotes the prompt. */
export async function complete(exchange: Exchange, body: JsonObject, model: string, controls: Controls): Promise<void> {
  const prompt = textOfPrompt(body.prompt);
  const maxTokens = typeof body.max_tokens === 'number' ? body.max_tokens : 16;
  const promptTokens = countTokens(prompt);
  const refusal = overflow(promptTokens, maxTokens, controls);
  if (refusal !== undefined) return exchange.error(refusal);
  const tokens = splitTokens(
    ` and so it goes on after "${prompt.slice(-40)}", word by word, until the simulated model has said enough.`,
  );
  const kept = tokens.slice(0, maxTokens);
  const text = kept.join('');
  const finish = kept.length < tokens.length ? 'length' : 'stop';
  const random = randomFrom(`${controls.seed}|${model}|${prompt}`);
  const head = {
    id: `cmpl-${random.hex(32)}`,
    object: 'text_completion',
    created: Math.floor(Date.now() / 1000),
    model,
  };
  const usage = {
    prompt_tokens: promptTokens,
    total_tokens: promptTokens + kept.length,
    completion_tokens: kept.length,
  };
  if (body.stream !== true) {
    return exchange.json(200, {
      ...head,
      choices: [{ index: 0, text, logprobs: null, finish_reason: finish, stop_reason: null }],
      usage,
    });
  }
  exchange.openStream();
  for (const piece of pieces(text, controls.chunk)) {
    await exchange.event(
      JSON.stringify({
        ...head,
        choices: [{ index: 0, text: piece, logprobs: null, finish_reason: null, stop_reason: null }],
      }),
    );
    if (controls.delay > 0) await exchange.wait(controls.delay);
  }
  await exchange.event(
    JSON.stringify({
      ...head,
      choices: [{ index: 0, text: '', logprobs: null, finish_reason: finish, stop_reason: null }],
    }),
  );
  if (wantsUsage(body)) await exchange.event(JSON.stringify({ ...head, choices: [], usage }));
  await exchange.event('[DONE]');
  exchange.endStream();
}

const wantsUsage = (body: JsonObject): boolean =>
  JSON.stringify(body.stream_options ?? '').includes('"include_usage":true');

const textOfPrompt = (prompt: JsonValue | undefined): string =>
  Array.isArray(prompt) ? prompt.map(String).join('') : String(prompt ?? '');

const width = 16;

/** Answers `POST /v1/embeddings`: the same text has the same vector, of unit length. */
export function embed(exchange: Exchange, body: JsonObject, model: string): void {
  const inputs = (Array.isArray(body.input) ? body.input : [body.input]).map((each) => String(each ?? ''));
  const data = inputs.map((text, index) => {
    const vector = embedding(text);
    const encoded =
      body.encoding_format === 'base64' ? Buffer.from(new Float32Array(vector).buffer).toString('base64') : vector;
    return { object: 'embedding', index, embedding: encoded };
  });
  const tokens = inputs.reduce((sum, text) => sum + countTokens(text), 0);
  exchange.json(200, {
    id: `embd-${hash(inputs.join('|')).toString(16)}`,
    object: 'list',
    created: Math.floor(Date.now() / 1000),
    model,
    data,
    usage: { prompt_tokens: tokens, total_tokens: tokens, completion_tokens: 0 },
  });
}

function embedding(text: string): number[] {
  const random = randomFrom(text);
  const raw = Array.from({ length: width }, () => random.next() - 0.5);
  const length = Math.hypot(...raw);
  return raw.map((value) => value / length);
}
