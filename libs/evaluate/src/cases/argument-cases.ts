import type { JsonObject } from '@callsmith/turn';
import type { Nonces } from './nonces.ts';
import type { ProbeCase } from './probe-case.ts';
import { expectCalls, probeCase, question } from './question.ts';

/** Arguments that are hard to write: nested, of every type, long, full of quotes. */
export const argumentCases = (nonces: Nonces): readonly ProbeCase[] => [
  probeCase(5, 'Nested arguments', {}, () => {
    const customer = { name: `${nonces.name()} ${nonces.name()}`, address: { zip: `0${nonces.number(1000, 9999)}` } };
    const item = () => ({ sku: nonces.word(), qty: nonces.number(2, 9), price: nonces.number(10, 90) + 0.5 });
    const order = { customer, items: [item(), item()], note: `ring at ${nonces.name()}` };
    return question(listed('Place this order', order), expectCalls({ name: 'order', arguments: order }));
  }),
  probeCase(6, 'Numbers, booleans and null', {}, () => {
    const search = { query: nonces.word(), limit: nonces.number(3, 40), regex: false, folder: null };
    return question(listed('Search the project', search), expectCalls({ name: 'search', arguments: search }));
  }),
  probeCase(7, 'Nothing invented', {}, () => {
    const query = nonces.word();
    return question(
      `Search the project for "${query}", everywhere and for all hits.`,
      expectCalls({ name: 'search', arguments: { query } }),
    );
  }),
  probeCase(8, 'Thirty lines with quotes, tabs and fences', { streamed: true }, () =>
    writing(nonces, hardLines(nonces), 2_000),
  ),
  probeCase(9, 'Emoji, right-to-left text, a path with spaces', {}, () =>
    writing(nonces, `🔧 ${nonces.name()} – שלום עולם – مرحبا ${nonces.word()} 👩‍👩‍👧 né\nend 𝒳`, 400, 'my notes é'),
  ),
  probeCase(10, 'Six kilobytes', {}, () => writing(nonces, manyLines(nonces), 4_000)),
];

/** Values, one per line, each with its path: `items[0].qty: 3`. */
function listed(what: string, values: JsonObject): string {
  return [`${what} with exactly these values:`, ...lines('', values)].join('\n');
}

function lines(path: string, value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((each, at) => lines(`${path}[${at}]`, each));
  if (typeof value !== 'object' || value === null) return [`${path}: ${JSON.stringify(value)}`];
  return Object.entries(value).flatMap(([key, each]) => lines(path === '' ? key : `${path}.${key}`, each));
}

function writing(nonces: Nonces, content: string, max_tokens: number, folder = 'notes') {
  const path = `${folder}/${nonces.word()}.txt`;
  return question(
    `Write the file "${path}" with exactly the text between the two lines of dashes, every character as it stands:\n-----\n${content}\n-----`,
    expectCalls({ name: 'write', arguments: { path, content } }),
    { max_tokens },
  );
}

/** Text that breaks handwritten JSON or tags. */
function hardLines(nonces: Nonces): string {
  const hard = [
    (word: string) => `"${word}" said: "it's \\"fine\\""`,
    (word: string) => `\tC:\\Users\\${word}\\new\\table`,
    (word: string) => `\`\`\`${word}`,
    (word: string) => `</parameter> ${word} </function>`,
    (word: string) => `const ${word} = /^"(?:[^"\\\\]|\\\\.)*"$/u; // {"a": [1, {"b": "}]"}]}`,
    (word: string) => `\t\t<tag attr="${word}">&amp;</tag>`,
  ];
  return Array.from({ length: 30 }, (_, at) => hard[at % hard.length]?.(nonces.word())).join('\n');
}

function manyLines(nonces: Nonces): string {
  let text = '';
  for (let at = 1; text.length < 6_000; at++)
    text += `${at}. ${nonces.name()} met ${nonces.name()} "at noon" with ${nonces.number(2, 99)} ${nonces.word()}.\n`;
  return text.slice(0, 6_144).trimEnd();
}
