import { wordJoiner } from './escape-markers.ts';

/** Takes the joiner away that escaping added behind the first character of each marker: in a whole text, the plain way. */
export function unescapeWhole(text: string, markers: Iterable<readonly string[]>): string {
  const literal = (char: string) => char.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  const places = [...markers].flat().map((marker) => {
    const [first = '', ...rest] = [...Array(marker.length).keys()].map((at) => literal(marker.charAt(at)));
    return `(?<=${first})${wordJoiner}(?=${rest.map((char) => `${wordJoiner}*${char}`).join('')})`;
  });
  return text.replace(new RegExp(places.join('|') || '(?!)', 'gs'), '');
}
