import { DEFAULT_MAX_TOKENS, type KeyBudget, type Limiter, type Refused, spendOf } from '@callsmith/data/limits';
import type { KeyEntry, ModelEntry } from '@callsmith/data/snapshot';
import { rawPrompt } from '@callsmith/protocols';
import { Fault, type JsonObject, type JsonValue, type Turn, textOf } from '@callsmith/turn';
import { type ResponseSummary, withDiscarded } from '../record/response-summary.ts';

/** Ends a request's reservation in its key's limits; to be called once. `answered`: the model, if it may be another. */
export type FinishReservation = (
  response: Pick<ResponseSummary, 'usage' | 'textLength' | 'discarded'>,
  answered?: Pick<ModelEntry, 'price'>,
) => void;

/** The counted quantities of a request. */
interface Counted {
  readonly limiter: Pick<Limiter, 'reserve' | 'spent'>;
  readonly key: KeyEntry;
  readonly model: Pick<ModelEntry, 'price'>;
  /** ISO 4217. */
  readonly currency: string;
}

/**
 * Counts a request against its key's limits and budgets, and reserves its tokens and their cost. Undefined: the key has
 * no limits, and nothing is counted. Throws `rate_limit_exceeded` or `insufficient_quota` with the exceeded limit and
 * when to retry; `store_unavailable` if counting has been impossible for too long.
 */
export async function reserveLimits(
  { limiter, key, model, currency }: Counted,
  requested: Turn | RawReservation,
): Promise<FinishReservation | undefined> {
  if (!isLimited(key)) return undefined;
  const prompt =
    'body' in requested ? requested.tokens + rawEstimate(rawPrompt(requested.body)) : promptEstimate(requested);
  const most = 'body' in requested ? mostOfRaw(requested) : mostOf(requested.sampling, requested.n);
  const price = model.price?.value;
  const spend = spendOf(price, { inputTokens: prompt, outputTokens: most }) ?? 0;
  const answer = await limiter.reserve(key, { tokens: prompt + most, spend });
  if (!answer.ok) throw refusal(answer, key, currency);
  return ({ usage, textLength, discarded }, answered = model) => {
    // An aborted turn was processed, and answered in part.
    const delivered = usage ?? { inputTokens: prompt, outputTokens: Math.ceil(textLength / charactersOfToken) };
    const used = withDiscarded(delivered, discarded);
    answer.finish({ tokens: used.inputTokens + used.outputTokens, spend: spendOf(answered.price?.value, used) ?? 0 });
  };
}

/**
 * Reserves the tokens of another attempt of the same request (D-43), which is no request of its own. Returns the
 * function that releases them when the request has ended, whose own reservation counts all its attempts; false: the key
 * has none left.
 */
export async function reserveTry({ limiter, key, model }: Counted, turn: Turn): Promise<(() => void) | false> {
  const { requestsPerMinute: _, concurrentStreams: __, ...tokens } = key;
  const ofTokens: KeyEntry = { ...tokens, requestsPerMinute: undefined, concurrentStreams: undefined };
  if (!isLimited(ofTokens)) return () => {};
  const prompt = promptEstimate(turn);
  const most = mostOf(turn.sampling, turn.n);
  const spend = spendOf(model.price?.value, { inputTokens: prompt, outputTokens: most }) ?? 0;
  const answer = await limiter.reserve(ofTokens, { tokens: prompt + most, spend });
  return answer.ok && (() => answer.finish({ tokens: 0, spend: 0 }));
}

/**
 * Refuses a request whose key has nothing left, before its body is read. Undefined: the key has no limits, and nothing
 * needs to be awaited. Throws as `reserveLimits` does.
 */
export function refuseSpent({ limiter, key, currency }: Omit<Counted, 'model'>): Promise<void> | undefined {
  if (!isLimited(key)) return undefined;
  return limiter.spent(key).then((refused) => {
    if (refused) throw refusal(refused, key, currency);
  });
}

/** A request that is passed through unchanged. */
export interface RawReservation {
  readonly body: JsonObject;
  /** The number of tokens in its long lists, which are stored beside it. */
  readonly tokens: number;
  /** False: embeddings and rankings, which generate no output. */
  readonly writes: boolean;
}

const charactersOfToken = 4;

const isLimited = (key: KeyEntry): boolean =>
  key.requestsPerMinute !== undefined ||
  key.tokensPerMinute !== undefined ||
  key.concurrentStreams !== undefined ||
  key.budgets.length > 0;

/** About the prompt's tokens: exact counting would take longer than many requests. */
function promptEstimate(turn: Turn): number {
  let characters = turn.tools.jsonLength;
  for (const message of turn.messages) {
    characters += 16 + textOf(message.content).length;
    if (message.role === 'assistant') for (const call of message.calls) characters += call.arguments.length;
  }
  return Math.ceil(characters / charactersOfToken);
}

/** About the tokens of a prompt or an input: a text, texts, or tokens that were counted already. */
function rawEstimate(value: JsonValue | undefined): number {
  if (typeof value === 'string') return Math.ceil(value.length / charactersOfToken);
  if (!Array.isArray(value)) return 0;
  let tokens = 0;
  for (const item of value) tokens += typeof item === 'number' ? 1 : rawEstimate(item);
  return tokens;
}

const mostOfRaw = ({ body, writes }: RawReservation): number =>
  writes ? mostOf(body, typeof body.n === 'number' && body.n > 0 ? body.n : 1) : 0;

/** Rounded up: what is passed through was not checked, and counters accept whole numbers only. */
function mostOf(sampling: JsonObject, n: number): number {
  const most = sampling.max_completion_tokens ?? sampling.max_tokens;
  return Math.ceil(n) * (typeof most === 'number' && most > 0 ? Math.ceil(most) : DEFAULT_MAX_TOKENS);
}

function refusal({ kind, limit, resetsAt, budget }: Refused, key: KeyEntry, currency: string): Fault {
  const seconds = resetsAt ? Math.max(1, Math.ceil((resetsAt.getTime() - Date.now()) / 1000)) : 1;
  const headers = { 'retry-after': String(seconds) };
  switch (kind) {
    case 'requests':
      return new Fault(
        'rate_limit_exceeded',
        `This key may send ${limit} requests per minute. Try again in ${seconds} s.`,
        { headers },
      );
    case 'tokens':
      return new Fault(
        'rate_limit_exceeded',
        `This key may use ${limit} tokens per minute. Try again in ${seconds} s.`,
        {
          headers,
        },
      );
    case 'uncounted':
      return new Fault(
        'store_unavailable',
        'The limits of this key cannot be checked: the database or Redis has been unreachable for too long. An admin can fix it.',
        { headers },
      );
    case 'streams':
      return new Fault(
        'rate_limit_exceeded',
        `This key may run ${limit} concurrent requests, and all are in use. Try again when one has ended.`,
        { headers },
      );
    case 'budget':
      return new Fault(
        'insufficient_quota',
        `${ownerOf(budget, key)} has used its ${amountOf(budget, limit, currency)} of the ${budget?.period ?? 'month'}. It can be used again ${resetsAt ? `from ${resetsAt.toISOString()}` : 'later'}; an admin can raise the budget on the Keys page.`,
        // A client that retried would be refused for hours.
        { headers: { 'x-should-retry': 'false' } },
      );
  }
}

function ownerOf(budget: KeyBudget | undefined, { holder, teamName }: KeyEntry): string {
  switch (budget?.of) {
    case 'team':
      return `The team ${teamName} of this key`;
    case 'owner':
      return `The owner ${holder} of this key`;
    default:
      return 'This key';
  }
}

const amountOf = (budget: KeyBudget | undefined, limit: number, currency: string): string =>
  budget?.unit === 'spend' ? `${(limit / 1_000_000).toFixed(2)} ${currency}` : `${limit} tokens`;
