import type { UpstreamEntry } from '@callsmith/data/snapshot';
import {
  answerTokens,
  engines,
  promptTokens,
  type TokenCount,
  type TokenizerRequest,
  tokenCounter,
} from '@callsmith/protocols';
import { CollectedBytes } from '@callsmith/stream';
import { type Folded, type JsonObject, type JsonValue, parseJson, type Turn, type Usage } from '@callsmith/turn';
import type { AbortReceiver } from '../record/abort-source.ts';
import type { UpstreamClient } from './upstream-client.ts';

/** A response whose upstream reported no token counts. */
export interface UncountedResponse {
  readonly upstream: UpstreamEntry;
  /** The request as it went upstream. */
  readonly body: JsonObject;
  /** The turn that the request was made from. */
  readonly turn: Turn;
  readonly folded: Folded;
}

/**
 * Counts the tokens of a request and its response: by the upstream's own tokenizer if it has one, otherwise by the
 * gateway's, marked as estimated.
 */
export async function countTokens(
  client: UpstreamClient,
  uncounted: UncountedResponse,
  signal: AbortReceiver,
): Promise<Usage> {
  const counted = await byUpstream(client, uncounted, signal).catch(() => undefined);
  if (counted) return counted;
  const tokensOf = await tokenCounter();
  const { turn, folded } = uncounted;
  return {
    inputTokens: promptTokens(turn, countingAtMost(tokensOf)),
    outputTokens: answerTokens(folded, countingAtMost(tokensOf)),
    source: 'estimated',
  };
}

/**
 * Counts a prompt's tokens like `countTokens`. `body`: the request as it would be sent to the chat API of `upstream`.
 */
export async function countPrompt(
  client: UpstreamClient,
  { upstream, body, turn }: Pick<UncountedResponse, 'upstream' | 'body' | 'turn'>,
  signal: AbortReceiver,
): Promise<number> {
  const counted = await countByUpstream(client, { upstream, body }, signal);
  return counted?.tokens ?? promptTokens(turn, countingAtMost(await tokenCounter()));
}

/**
 * Estimates the tokens of a request and of a response of which only the beginning was kept. `prompt`: the turn, or its
 * text. `sample`: the response's beginning, escaped as in a JSON string; `length`: how long the whole response is in
 * the same form.
 */
export async function estimateTokens(
  prompt: Turn | string,
  { sample, length }: { readonly sample: string; readonly length: number },
): Promise<Usage> {
  const tokensOf = await tokenCounter();
  const count = countingAtMost(tokensOf);
  return {
    inputTokens: typeof prompt === 'string' ? count(prompt) : promptTokens(prompt, count),
    outputTokens: sample === '' ? 0 : Math.round((tokensOf(decoded(sample)) * length) / sample.length),
    source: 'estimated',
  };
}

/** Decodes the inside of a JSON string, without an escape sequence that is cut off at its end. */
function decoded(sample: string): string {
  const text = parseJson(`"${sample.replace(/\\(?:u[\da-f]{0,3})?$/i, '')}"`);
  return typeof text === 'string' ? text : sample;
}

/**
 * Bounds the time that counting blocks the event loop: only the first `longest` characters of all texts are counted,
 * the rest is estimated at the same ratio.
 */
export function countingAtMost(count: (text: string) => number, longest = longestCounted): (text: string) => number {
  let characters = 0;
  let tokens = 0;
  return (text) => {
    const begun = text.slice(0, Math.max(0, longest - characters));
    const counted = begun === '' ? 0 : count(begun);
    characters += begun.length;
    tokens += counted;
    return counted + Math.round(((text.length - begun.length) * tokens) / Math.max(1, characters));
  };
}

const longestCounted = 100_000;
/** A longer text is not sent to the upstream's tokenizer. */
const longestSent = 1_000_000;

/** Usage by the tokenizer of the upstream's engine; undefined if it has none or did not respond. */
async function byUpstream(
  client: UpstreamClient,
  { upstream, body, folded }: UncountedResponse,
  signal: AbortReceiver,
): Promise<Usage | undefined> {
  const { tokenizer } = engines[upstream.kind];
  const text = folded.choices.map(outputOf).join('');
  if (!tokenizer || text.length > longestSent) return undefined;
  const [prompt, answer] = await Promise.all([
    countByUpstream(client, { upstream, body }, signal),
    ask(client, upstream, tokenizer.text(body.model, text), signal),
  ]);
  if (prompt === undefined || answer === undefined) return undefined;
  return { inputTokens: prompt.tokens, outputTokens: answer.tokens, source: 'tokenizer' };
}

/**
 * Counts a prompt's tokens by the tokenizer of the upstream's engine; undefined if it has none or did not respond.
 * Never rejects.
 */
export async function countByUpstream(
  client: UpstreamClient,
  { upstream, body }: Pick<UncountedResponse, 'upstream' | 'body'>,
  signal: AbortReceiver,
): Promise<TokenCount | undefined> {
  const { tokenizer } = engines[upstream.kind];
  return tokenizer && ask(client, upstream, tokenizer.prompt(body), signal);
}

const outputOf = ({ reasoning, text, calls }: Folded['choices'][number]): string =>
  reasoning + text + calls.map((call) => (call ? call.name + call.arguments : '')).join('');

/** Sends a tokenizer request, then its fallback or its follow-up if it needs one. */
async function ask(
  client: UpstreamClient,
  upstream: UpstreamEntry,
  request: TokenizerRequest,
  signal: AbortReceiver,
): Promise<TokenCount | undefined> {
  const reply = await send(client, upstream, request, signal);
  if (reply === undefined) return undefined;
  if (reply === 'unknown') return request.fallback && ask(client, upstream, request.fallback, signal);
  const counted = request.read(reply.json);
  return counted !== undefined && 'path' in counted ? ask(client, upstream, counted, signal) : counted;
}

const timeoutMs = 2000;
/** The largest tokenizer response that is read, in bytes; vLLM lists every token. A longer one counts as none. */
const longestReply = 16 * 1024 * 1024;

/**
 * Resolves with the JSON of a good response, with `unknown` if the server has no such route, and with undefined if no
 * good response came in time.
 */
function send(
  client: UpstreamClient,
  upstream: UpstreamEntry,
  { path, body }: TokenizerRequest,
  signal: AbortReceiver,
): Promise<{ readonly json: JsonValue } | 'unknown' | undefined> {
  return new Promise((resolve) => {
    const reply = new CollectedBytes({ bytes: longestReply });
    let status = 0;
    const admitted = client.admit(upstream, signal);
    if (typeof admitted !== 'number') {
      // All connections are in use. A count is not worth waiting for; the permit is given back when it comes.
      void admitted.then(
        () => client.release(upstream),
        () => {},
      );
      resolve(undefined);
      return;
    }
    const sending = client.send(
      upstream,
      { path, atRoot: true, body: JSON.stringify(body) },
      {
        started: (received) => {
          status = received;
        },
        data: (bytes) => reply.push(Buffer.from(bytes)),
        flush: () => {},
        ended: () => {
          clearTimeout(timer);
          if (status === 404 || status === 405) resolve('unknown');
          else resolve(status === 200 ? { json: parseJson(reply.text()) ?? null } : undefined);
        },
        failed: () => {
          clearTimeout(timer);
          resolve(undefined);
        },
      },
    );
    const timer = setTimeout(() => {
      sending.abort();
      resolve(undefined);
    }, timeoutMs);
  });
}
