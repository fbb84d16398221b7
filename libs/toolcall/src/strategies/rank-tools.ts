import type { Tool } from '@callsmith/turn';
import { isObject } from '@callsmith/turn';

/** BM25's usual k1 (how fast further occurrences of a word lose weight) and b (how much words of long texts do). */
const saturation = 1.2;
const lengthShare = 0.75;
/** The weight of a word by where it occurs. */
const weights = { name: 3, parameter: 2, description: 1 };
/** Characters of a description that are indexed. */
const longestDescription = 2000;

/** Ranks tools by how well they match a text. */
export class ToolRanking {
  /** By word: the tools that contain it, by index, with its weighted count. */
  private readonly postings = new Map<string, Map<number, number>>();
  private readonly lengths: number[];
  private readonly meanLength: number;

  constructor(private readonly tools: readonly Tool[]) {
    this.lengths = tools.map((tool, at) => this.index(tool, at));
    this.meanLength = this.lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, tools.length);
  }

  /** Names of the tools that match a text best (BM25), at most `most`; equal ones in the list's order. */
  best(text: string, most: number): string[] {
    const scores = new Map<number, number>();
    for (const word of new Set(wordsOf(text))) {
      const postings = this.postings.get(word);
      if (postings === undefined) continue;
      const rarity = Math.log(1 + (this.tools.length - postings.size + 0.5) / (postings.size + 0.5));
      for (const [at, count] of postings) {
        const length = 1 - lengthShare + (lengthShare * (this.lengths[at] as number)) / this.meanLength;
        const score = (rarity * count * (saturation + 1)) / (count + saturation * length);
        scores.set(at, (scores.get(at) ?? 0) + score);
      }
    }
    return [...scores]
      .sort(([a, scoreOfA], [b, scoreOfB]) => scoreOfB - scoreOfA || a - b)
      .slice(0, most)
      .map(([at]) => (this.tools[at] as Tool).name);
  }

  private index({ name, description = '', parameters }: Tool, at: number): number {
    const properties = isObject(parameters?.properties) ? Object.keys(parameters.properties) : [];
    return (
      this.add(wordsOf(name), at, weights.name) +
      this.add(wordsOf(properties.join(' ')), at, weights.parameter) +
      this.add(wordsOf(description.slice(0, longestDescription)), at, weights.description)
    );
  }

  private add(words: readonly string[], at: number, weight: number): number {
    for (const word of words) {
      const postings = this.postings.get(word) ?? new Map<number, number>();
      this.postings.set(word, postings.set(at, (postings.get(at) ?? 0) + weight));
    }
    return words.length * weight;
  }
}

/** The words of a text in lower case and without a plural "s"; `getWeather` and `get_weather` are two words. */
const wordsOf = (text: string): string[] =>
  (
    text
      .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
      .toLowerCase()
      // ideographic text has no spaces, so each character is a word
      .match(/\p{Ideographic}|(?:(?!\p{Ideographic})[\p{L}\p{N}])+/gu) ?? []
  ).map((word) => (/[^s]s$/.test(word) && word.length > 3 ? word.slice(0, -1) : word));
