import type { UpstreamEntry } from '@callsmith/data/snapshot';
import { engines, type InboundAdapter, type OutboundName } from '@callsmith/protocols';
import type { AttemptFailure } from '../upstream/attempt-failure.ts';

/** Which API a turn is asked by, on servers that may speak one or two. */
export class OutboundChooser {
  /** The API that a server turned out not to have. */
  private readonly missing = new Map<string, OutboundName>();

  /** Chat completions, but where a server keeps more apart on an API that the client's own has room for. */
  choose({ nearest }: InboundAdapter, { id, kind }: UpstreamEntry): OutboundName {
    const preferred = engines[kind].fullerOn === nearest ? nearest : 'openai-chat';
    return this.missing.get(id) === preferred ? otherThan(preferred) : preferred;
  }

  /** True if a failure says that the server has no such API and the other is to be tried; that is remembered. */
  isMissing(api: OutboundName, { id }: UpstreamEntry, failure: AttemptFailure): boolean {
    if (!saysMissing(failure)) return false;
    const before = this.missing.get(id);
    if (before === otherThan(api)) {
      // It has neither: rather is the address wrong, and all is asked anew once that is right.
      this.missing.delete(id);
      return false;
    }
    this.missing.set(id, api);
    return true;
  }
}

const otherThan = (api: OutboundName): OutboundName => (api === 'openai-chat' ? 'openai-responses' : 'openai-chat');

/** A model that is not there is another matter: the API may well be. */
function saysMissing({ status, fault, engine, body = '' }: AttemptFailure): boolean {
  if (engine !== undefined) return false;
  return (
    (status === 404 && !/\bmodel/i.test(body)) ||
    status === 405 ||
    status === 501 ||
    /unexpected endpoint/i.test(fault.message)
  );
}
