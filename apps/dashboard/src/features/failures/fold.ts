import { pretty } from './pretty.ts';

/** A section of a text. */
export interface TextSection {
  readonly text: string;
  /** It is entries of a list, which are folded at first: the list's name, e.g. `messages`, and how many they are. */
  readonly folded?: { readonly name: string; readonly count: number };
}

/** A list with more entries is folded to its first and its last ones. */
const LONGEST = 10;
const FIRST = 2;
const LAST = 4;

/**
 * A text of JSON with one property a line, in sections that together are the whole of it: of long lists among its
 * properties (messages, tools) what is between the first and the last entries is a section of its own. Other text is one
 * section, unchanged.
 */
export function foldedSections(text: string): TextSection[] {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return [{ text }];
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body) || Object.keys(body).length === 0)
    return [{ text: pretty(body) }];
  const sections: TextSection[] = [{ text: '{\n' }];
  for (const [at, [name, value]] of Object.entries(body).entries()) {
    const start = `${at > 0 ? ',\n' : ''}  ${JSON.stringify(name)}: `;
    if (Array.isArray(value) && value.length > LONGEST) sections.push(...ofList(name, value, start));
    else sections.push({ text: start + indented(value, '  ') });
  }
  return joined([...sections, { text: '\n}' }]);
}

function ofList(name: string, list: readonly unknown[], start: string): TextSection[] {
  const entries = list.map((value) => `    ${indented(value, '    ')}`);
  const middle = entries.slice(FIRST, -LAST);
  return [
    { text: `${start}[\n${entries.slice(0, FIRST).join(',\n')},\n` },
    { text: `${middle.join(',\n')},\n`, folded: { name, count: middle.length } },
    { text: `${entries.slice(-LAST).join(',\n')}\n  ]` },
  ];
}

// Line ends within strings are escaped: each line of it begins a value.
const indented = (value: unknown, by: string): string => pretty(value).replaceAll('\n', `\n${by}`);

function joined(sections: readonly TextSection[]): TextSection[] {
  const done: TextSection[] = [];
  for (const next of sections) {
    const last = done.at(-1);
    if (last === undefined || last.folded || next.folded) done.push(next);
    else done[done.length - 1] = { text: last.text + next.text };
  }
  return done;
}
