import type { Lesson, ModelEntry, Route } from '@callsmith/data/snapshot';
import { promptTokens, tokenCounter } from '@callsmith/protocols';
import { type Turn, textOf, type Usage } from '@callsmith/turn';
import { countingAtMost } from '../upstream/count-tokens.ts';

/** Shorter prompts are not checked: the chat template, whose length is unknown, would weigh too much. */
const leastTokens = 4_000;
/** A server that counted less than this share of our estimate has not read all of it. */
const leastShare = 0.6;
/** A prompt with fewer bytes per counted token is certainly complete, in any language; it need not be counted. */
const plainBytes = 5;
/** The most characters that are counted, as counting blocks the event loop; the rest is estimated from them. */
const longestCounted = 20_000;
/** How often a long prompt is counted for a server that is known to truncate, so that not every request pays for it. */
const countedEveryMs = 60_000;

/**
 * Detects servers that truncate long prompts without an error, as Ollama does beyond its `num_ctx`: twice in a row they
 * count far fewer tokens than the prompt has.
 */
export class PromptCutDetector {
  /** Models on upstreams whose last long prompt seemed to be truncated, by model and upstream id. */
  private readonly suspected = new Set<string>();
  /** For models on upstreams that are known to truncate: when a prompt was last counted, by `now`. */
  private readonly countedAt = new Map<string, number>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /**
   * Checks a request that was sent as `json`. Resolves with a new lesson about the model on the upstream; undefined:
   * none.
   */
  async observe(
    { id }: ModelEntry,
    { upstream, cutsPrompts }: Route,
    { turn, json, usage }: { readonly turn: Turn; readonly json: string; readonly usage: Usage },
  ): Promise<Pick<Lesson, 'what' | 'value' | 'reason'> | undefined> {
    const { inputTokens: reported, source } = usage;
    if (source !== 'upstream') return undefined;
    const place = `${id} ${upstream.id}`;
    const isKnown = cutsPrompts === true;
    const now = this.now();
    if (isKnown && now - (this.countedAt.get(place) ?? Number.NEGATIVE_INFINITY) < countedEveryMs) return undefined;
    const isNew = !isKnown && !this.suspected.has(place);
    // A short prompt proves nothing either way.
    const isInconclusive = (bytes: number) => bytes < leastTokens * 2 || (isNew && bytes < reported * plainBytes);
    // The body is at least as long as the prompt and needs no counting, so that it is checked first.
    if (isInconclusive(Buffer.byteLength(json)) || isInconclusive(bytesOf(turn))) return undefined;
    const estimate = promptTokens(turn, countingAtMost(await tokenCounter(), longestCounted));
    if (estimate < leastTokens) return undefined;
    if (isKnown) this.countedAt.set(place, now);
    if (reported >= leastShare * estimate) {
      this.suspected.delete(place);
      return isKnown ? { what: 'cuts-prompts', value: false, reason: reasonOf(reported, estimate) } : undefined;
    }
    if (isKnown) return undefined;
    if (this.suspected.delete(place))
      return { what: 'cuts-prompts', value: true, reason: reasonOf(reported, estimate) };
    this.suspected.add(place);
    return undefined;
  }
}

const reasonOf = (reported: number, estimate: number): string =>
  `It counted ${reported} tokens of a prompt of about ${estimate}.`;

function bytesOf({ messages, tools }: Turn): number {
  let bytes = tools.jsonLength;
  for (const message of messages) bytes += Buffer.byteLength(textOf(message.content));
  return bytes;
}
