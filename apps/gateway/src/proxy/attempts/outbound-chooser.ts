import type { UpstreamEntry } from '@callsmith/data/snapshot';
import type { InboundAdapter, OutboundAdapter } from '@callsmith/protocols';
import type { AttemptFailure } from '../upstream/attempt.ts';

/** Which API a turn is asked by, on servers that speak two (H-5). */
export class OutboundChooser {
  /** Servers that turned out not to have `/responses`. */
  private readonly without = new Set<string>();

  /** LM Studio keeps a model's reasoning apart on `/responses` only, so clients of that API are served by it. */
  choose(front: InboundAdapter, { id, kind }: UpstreamEntry): OutboundAdapter['name'] {
    return front.nearest === 'openai-responses' && kind === 'lmstudio' && !this.without.has(id)
      ? 'openai-responses'
      : 'openai-chat';
  }

  /** True if a failure says that the server has no such API; it is not asked by it again. */
  isMissing(wire: OutboundAdapter['name'], { id }: UpstreamEntry, failure: AttemptFailure): boolean {
    if (wire !== 'openai-responses') return false;
    const { status, fault, body = '' } = failure;
    // A model that is not there is another matter: the API may well be.
    const missing =
      (status === 404 && !/\bmodel/i.test(body)) ||
      status === 405 ||
      status === 501 ||
      /unexpected endpoint/i.test(fault.message);
    if (missing) this.without.add(id);
    return missing;
  }
}
