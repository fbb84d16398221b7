import { wordJoiner } from './escape-markers.ts';

/** Removes the joiner that escaping added behind each marker's first character: the simple way, in a whole text. */
export function unescapeWhole(text: string, markers: Iterable<readonly string[]>): string {
  const literal = (char: string) => char.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  const places = [...markers].flat().map((marker) => {
    const [first = '', ...rest] = [...Array(marker.length).keys()].map((at) => literal(marker.charAt(at)));
    return `(?<=${first})${wordJoiner}(?=${rest.map((char) => `${wordJoiner}*${char}`).join('')})`;
  });
  return text.replace(new RegExp(places.join('|') || '(?!)', 'gs'), '');
}
