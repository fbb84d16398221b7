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

/** What is counted where an upstream reported no token counts. */
export interface UncountedResponse {
  readonly upstream: UpstreamEntry;
  /** The request as it went upstream. */
  readonly body: JsonObject;
  /** The turn as it was shaped. */
  readonly turn: Turn;
  readonly folded: Folded;
}

/** Counts a turn's tokens: by the upstream's own tokenizer where it has one, else by ours, marked as estimated. */
export async function countTokens(
  client: UpstreamClient,
  uncounted: UncountedResponse,
  signal: AbortReceiver,
): Promise<Usage> {
  const asked = await byUpstream(client, uncounted, signal).catch(() => undefined);
  if (asked) return asked;
  const whole = await tokenCounter();
  const { turn, folded } = uncounted;
  return {
    inputTokens: promptTokens(turn, countingAtMost(whole)),
    outputTokens: answerTokens(folded, countingAtMost(whole)),
    source: 'estimated',
  };
}

/** Counts a prompt's tokens in the same way. `body`: the request as it would go to the chat API of `upstream`. */
export async function countPrompt(
  client: UpstreamClient,
  { upstream, body, turn }: Pick<UncountedResponse, 'upstream' | 'body' | 'turn'>,
  signal: AbortReceiver,
): Promise<number> {
  const asked = await countByUpstream(client, { upstream, body }, signal);
  return asked?.tokens ?? promptTokens(turn, countingAtMost(await tokenCounter()));
}

/**
 * Estimates a turn of whose answer only the beginning is there, as inside a JSON string, and how long it was in all.
 * Its prompt is a turn, or the text of one.
 */
export async function estimateTokens(
  prompt: Turn | string,
  { sample, length }: { readonly sample: string; readonly length: number },
): Promise<Usage> {
  const whole = await tokenCounter();
  const count = countingAtMost(whole);
  return {
    inputTokens: typeof prompt === 'string' ? count(prompt) : promptTokens(prompt, count),
    outputTokens: sample === '' ? 0 : Math.round((whole(decoded(sample)) * length) / sample.length),
    source: 'estimated',
  };
}

/** An escape that the sample's end cuts is left out. */
function decoded(sample: string): string {
  const text = parseJson(`"${sample.replace(/\\(?:u[\da-f]{0,3})?$/i, '')}"`);
  return typeof text === 'string' ? text : sample;
}

/** Counting takes time on the event loop, so that of many long texts only the first are counted; the rest is like them. */
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
/** A text beyond this is not sent to be counted. */
const longestSent = 1_000_000;

/** By the tokenizer of the upstream's engine; undefined: it has none, or did not answer. */
async function byUpstream(
  client: UpstreamClient,
  { upstream, body, folded }: UncountedResponse,
  signal: AbortReceiver,
): Promise<Usage | undefined> {
  const { tokenizer } = engines[upstream.kind];
  const text = folded.choices.map(writtenBy).join('');
  if (!tokenizer || text.length > longestSent) return undefined;
  const [prompt, answer] = await Promise.all([
    countByUpstream(client, { upstream, body }, signal),
    ask(client, upstream, tokenizer.text(body.model, text), signal),
  ]);
  if (prompt === undefined || answer === undefined) return undefined;
  return { inputTokens: prompt.tokens, outputTokens: answer.tokens, source: 'tokenizer' };
}

/** A prompt's tokens by the tokenizer of the upstream's engine; undefined: it has none, or did not answer. */
export async function countByUpstream(
  client: UpstreamClient,
  { upstream, body }: Pick<UncountedResponse, 'upstream' | 'body'>,
  signal: AbortReceiver,
): Promise<TokenCount | undefined> {
  const { tokenizer } = engines[upstream.kind];
  return tokenizer && ask(client, upstream, tokenizer.prompt(body), signal);
}

const writtenBy = ({ reasoning, text, calls }: Folded['choices'][number]): string =>
  reasoning + text + calls.map((call) => (call ? call.name + call.arguments : '')).join('');

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
/** vLLM lists the tokens too. What comes beyond is not kept, so that its count is not read either. */
const longestReply = 16 * 1024 * 1024;

/** A good reply's JSON; `unknown`: the server has no such route; undefined: no good reply in time. */
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
      // Nobody waits in a queue for a count.
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
        started: (given) => {
          status = given;
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
