import type { UpstreamEntry } from '@callsmith/data/snapshot';
import { answerTokens, promptTokens, tokenCounter } from '@callsmith/protocols';
import { type Folded, isObject, type JsonObject, parseJson, type Turn, type Usage } from '@callsmith/turn';
import type { AbortReceiver } from '../record/abort-source.ts';
import type { UpstreamClient } from './upstream-client.ts';

/** What is counted where an upstream told no token counts. */
export interface Uncounted {
  readonly upstream: UpstreamEntry;
  /** The request as it went upstream. */
  readonly body: JsonObject;
  /** The turn as it was shaped. */
  readonly turn: Turn;
  readonly folded: Folded;
}

/** Counts a turn's tokens: by the upstream's own tokenizer where it has one, else by ours, marked as estimated. */
export async function countTokens(client: UpstreamClient, uncounted: Uncounted, signal: AbortReceiver): Promise<Usage> {
  const asked = await byUpstream(client, uncounted, signal).catch(() => undefined);
  if (asked) return asked;
  const whole = await tokenCounter();
  const { turn, folded } = uncounted;
  return {
    inputTokens: promptTokens(turn, capped(whole)),
    outputTokens: answerTokens(folded, capped(whole)),
    source: 'estimated',
  };
}

/** Counts a prompt's tokens in the same way. `body`: the request as it would go to the chat API of `upstream`. */
export async function countPrompt(
  client: UpstreamClient,
  { upstream, body, turn }: Pick<Uncounted, 'upstream' | 'body' | 'turn'>,
  signal: AbortReceiver,
): Promise<number> {
  const asked = await promptByUpstream(client, { upstream, body }, signal);
  return asked ?? promptTokens(turn, capped(await tokenCounter()));
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
  const count = capped(whole);
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
function capped(count: (text: string) => number): (text: string) => number {
  let characters = 0;
  let tokens = 0;
  return (text) => {
    const begun = text.slice(0, longestCounted - characters);
    const counted = begun === '' ? 0 : count(begun);
    characters += begun.length;
    tokens += counted;
    return counted + Math.round(((text.length - begun.length) * tokens) / Math.max(1, characters));
  };
}

const longestCounted = 100_000;
/** A text beyond this is not sent to be counted. */
const longestSent = 1_000_000;

/** vLLM counts messages with their template; what the model wrote is counted as text. */
async function byUpstream(
  client: UpstreamClient,
  { upstream, body, folded }: Uncounted,
  signal: AbortReceiver,
): Promise<Usage | undefined> {
  if (upstream.kind !== 'vllm') return undefined;
  const { model } = body;
  const said = folded.choices.map(writtenBy).join('');
  if (said.length > longestSent) return undefined;
  const [inputTokens, outputTokens] = await Promise.all([
    promptByUpstream(client, { upstream, body }, signal),
    tokenize(client, upstream, { model, prompt: said, add_special_tokens: false }, signal),
  ]);
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  return { inputTokens, outputTokens, source: 'tokenize' };
}

async function promptByUpstream(
  client: UpstreamClient,
  { upstream, body: { model, messages, tools } }: Pick<Uncounted, 'upstream' | 'body'>,
  signal: AbortReceiver,
): Promise<number | undefined> {
  if (upstream.kind !== 'vllm') return undefined;
  return tokenize(client, upstream, { model, messages, ...(tools && { tools }), add_generation_prompt: true }, signal);
}

const writtenBy = ({ reasoning, text, calls }: Folded['choices'][number]): string =>
  reasoning + text + calls.map((call) => (call ? call.name + call.arguments : '')).join('');

const patienceMs = 2000;
/** vLLM lists the tokens too. What comes beyond is not kept, so that its count is not read either. */
const longestReply = 16 * 1024 * 1024;

function tokenize(
  client: UpstreamClient,
  upstream: UpstreamEntry,
  body: JsonObject,
  signal: AbortReceiver,
): Promise<number | undefined> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let size = 0;
    let good = false;
    const end = (count: number | undefined): void => {
      clearTimeout(timer);
      resolve(count);
    };
    const admitted = client.admit(upstream, signal);
    if (typeof admitted !== 'number') {
      // Nobody waits in a queue for a count.
      void admitted.then(
        () => client.giveBack(upstream),
        () => {},
      );
      resolve(undefined);
      return;
    }
    const sending = client.send(
      upstream,
      { path: '/tokenize', atRoot: true, body: JSON.stringify(body) },
      {
        started: (status) => {
          good = status === 200;
        },
        data: (bytes) => {
          size += bytes.length;
          if (size <= longestReply) parts.push(Buffer.from(bytes));
        },
        flush: () => {},
        ended: () => {
          const reply = good ? parseJson(Buffer.concat(parts).toString('utf8')) : undefined;
          end(isObject(reply) && typeof reply.count === 'number' ? reply.count : undefined);
        },
        failed: () => end(undefined),
      },
    );
    const timer = setTimeout(() => {
      sending.abort();
      resolve(undefined);
    }, patienceMs);
  });
}
