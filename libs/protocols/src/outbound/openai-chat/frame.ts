import { needsNoEscape, parseJson } from '@callsmith/turn';

/** The members of a delta that are streamed, one string each. */
const holes = ['content', 'reasoning_content', 'reasoning', 'arguments'] as const;

/**
 * The frame of a stream's events: a payload except for the one string that changes. Most events of one stream differ
 * only in it, so that string can be sliced out instead of parsing the event; a payload with another frame is not
 * handled.
 */
export class LearnedFrame<Event> {
  private constructor(
    private readonly prefix: string,
    private readonly suffix: string,
    readonly make: (text: string) => Event,
  ) {}

  /** The event of a payload with this frame, else `undefined`. */
  read(payload: string): Event | undefined {
    const inner = this.inner(payload);
    if (inner === undefined) return undefined;
    if (!inner.includes('\\') && !inner.includes('"'))
      return inner === '' || hasControl(inner) ? undefined : this.make(inner);
    const text = parseJson(`"${inner}"`);
    return typeof text === 'string' && text !== '' ? this.make(text) : undefined;
  }

  /** The string of a payload with this frame, if it is not empty and needs no JSON escapes. */
  plainText(payload: string): string | undefined {
    const inner = this.inner(payload);
    return inner !== undefined && inner !== '' && needsNoEscape(inner) ? inner : undefined;
  }

  /** The part of a payload with this frame in the place of the string. */
  private inner(payload: string): string | undefined {
    const { prefix, suffix } = this;
    const end = payload.length - suffix.length;
    // `startsWith` and `endsWith` compare character by character, which takes V8 seven times as long.
    return end >= prefix.length && payload.slice(0, prefix.length) === prefix && payload.slice(end) === suffix
      ? payload.slice(prefix.length, end)
      : undefined;
  }

  /**
   * The frame of `payload`, if one string is its only content. `understand` is the slow path; a test payload parsed by
   * it proves that the right string was found.
   */
  static of<Event>(
    payload: string,
    understand: (payload: string) => Event | undefined,
    textOf: (event: Event) => string | undefined,
    make: (event: Event, text: string) => Event,
  ): LearnedFrame<Event> | undefined {
    const event = understand(payload);
    const text = event && textOf(event);
    if (event === undefined || text === undefined) return undefined;
    for (const hole of holes) {
      const cut = split(payload, hole);
      if (!cut) continue;
      const probed = understand(cut[0] + probe + cut[1]);
      if (probed && textOf(probed) === probe)
        return new LearnedFrame(cut[0], cut[1], (content) => make(event, content));
    }
    return undefined;
  }
}

const probe = 'pr0be';

/** A raw control character is invalid JSON; the slow path reports it. */
const hasControl = (text: string): boolean => /[\u0000-\u001f]/.test(text);

function split(payload: string, member: string): [string, string] | undefined {
  const opened = new RegExp(`"${member}": ?"`).exec(payload);
  if (!opened) return undefined;
  const start = opened.index + opened[0].length;
  let end = start;
  while (end < payload.length && payload[end] !== '"') end += payload[end] === '\\' ? 2 : 1;
  return [payload.slice(0, start), payload.slice(end)];
}
