import type { Lesson, ModelEntry, Route } from '@callsmith/data/snapshot';
import { promptTokens, tokenCounter } from '@callsmith/protocols';
import { type Turn, textOf, type Usage } from '@callsmith/turn';
import { countingAtMost } from '../upstream/count-tokens.ts';

/** Shorter prompts are not looked at: their frame, which we do not see, would weigh too much. */
const leastTokens = 4_000;
/** A server that counted less than this share of our estimate has not read all of it. */
const leastShare = 0.6;
/** A prompt with fewer bytes to a counted token is plainly whole, in any language; it is not worth counting. */
const plainBytes = 5;
/** Counting takes time on the event loop; what follows is taken to be like the beginning. */
const longestCounted = 20_000;
/** Of a server that is known to cut, a long prompt is counted this often: not every request is to pay for it. */
const countedEveryMs = 60_000;

/**
 * Notices servers that cut long prompts without saying so, as Ollama does beyond its `num_ctx`: they count far fewer
 * tokens than the prompt has, twice running.
 */
export class PromptCutDetector {
  /** Models on upstreams whose last long prompt seemed to be cut. */
  private readonly suspected = new Set<string>();
  /** When a prompt of models on upstreams that are known to cut was last counted, by `now`. */
  private readonly countedAt = new Map<string, number>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** What is now known of a model there that was not before, by a request sent as `json`; undefined: nothing new. */
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
    // A short prompt says nothing either way.
    const saysNothing = (bytes: number) => bytes < leastTokens * 2 || (isNew && bytes < reported * plainBytes);
    // The body's length is at hand and no less than the prompt's, which is to be put together.
    if (saysNothing(Buffer.byteLength(json)) || saysNothing(bytesOf(turn))) return undefined;
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
  let bytes = tools.size === 0 ? 0 : JSON.stringify(tools.list).length;
  for (const message of messages) bytes += Buffer.byteLength(textOf(message.content));
  return bytes;
}
