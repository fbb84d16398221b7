import type { TurnDetail } from '@callsmith/contracts';

type RawChoice = NonNullable<TurnDetail['body']>['raw'][number];

const chunksIn = ({ cuts, fragments }: RawChoice): number => cuts.length + fragments.length;

/** In how many chunks an answer came: pieces of text and of native calls. */
export const chunkCount = (raw: readonly RawChoice[]): number => raw.reduce((sum, choice) => sum + chunksIn(choice), 0);

/**
 * What had come of an answer after its first `n` chunks. Kept are the ends of the pieces of text (UTF-16 offsets) and
 * the native calls' fragments, each in their order: text goes before calls here, and one choice before the next.
 */
export function firstChunks(raw: readonly RawChoice[], n: number): RawChoice[] {
  let left = n;
  return raw.flatMap((choice) => {
    const come = Math.min(left, chunksIn(choice));
    left -= come;
    if (come === 0) return [];
    const texts = Math.min(come, choice.cuts.length);
    return {
      ...choice,
      text: choice.text.slice(0, choice.cuts[texts - 1] ?? 0),
      fragments: choice.fragments.slice(0, come - texts),
    };
  });
}
