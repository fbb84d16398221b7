import { bigContent } from '../big-content.ts';

/** One step of the user's request. */
export type Step =
  | { readonly kind: 'read'; readonly path: string; readonly instead?: string }
  | {
      readonly kind: 'write';
      readonly path: string;
      readonly content: string;
      /** The content is what was read from this path. */
      readonly copyOf?: string;
      /** Appends to the existing content. */
      readonly append?: boolean;
    }
  | { readonly kind: 'run'; readonly command: string };

/** The steps of a request in order, and whether they may run in parallel. */
export interface Plan {
  readonly steps: readonly Step[];
  readonly parallel: boolean;
}

const path = /(?:"[^"\n]+\.\w+"|'[^'\n]+\.\w+'|`[^`\n]+\.\w+`|[\w~:.\\/-]*[\w~-]\.\w{1,8}(?![\w.]*\/))/.source;
const link = /(?:\s*,\s*and\s+|\s*,\s*|\s+and\s+|\s+(?:to|through)\s+|\s*(?:\.\.\.?|…|–)\s*)/.source;
const paths = `${path}(?:${link}${path})*`;
const readVerb =
  /\b(?:read|open|look at|show(?: me)?|cat)\s+(?:(?:the|all)\s+)?(?:(?:three|two|\d+)\s+)?(?:files?:?\s+)?/.source;
const writeVerb = /\b(?:create|write|save|overwrite|make)\s+(?:[^.\n]{0,60}?\s)??/.source;

const reads = new RegExp(`${readVerb}(${paths})(?:\\s+(\\d+)\\s+times)?`, 'gi');
const writes = new RegExp(`${writeVerb}(${paths})`, 'gi');
const copies = new RegExp(`\\bcopy\\s+(?:the\\s+file\\s+)?(${path})\\s+to\\s+(${path})`, 'gi');
const runs = /\b(?:run|execute)\s+(?:the\s+)?(?:shell\s+)?(?:command\s+)?[`"']([^`"'\n]+)[`"']/gi;
const instead = new RegExp(
  `[,;.]?\\s*\\bif\\s+(?:that|it|this|the file|reading it)\\b[^.;\\n]{0,80}?\\b(?:read|try|use|open)\\s+(${path})(?:\\s+instead)?`,
  'i',
);

/** Parses a request into steps. */
export function plan(task: string): Plan {
  const exact = verbatim.exec(task);
  if (exact !== null) return { steps: writeExactly(task.slice(0, exact.index), exact[1] ?? ''), parallel: false };
  const text = task.slice(0, 8_000);
  const other = instead.exec(text);
  const rest = other === null ? text : text.replace(other[0], ' '.repeat(other[0].length));
  const found = [...readSteps(rest, bare(other?.[1])), ...writeSteps(rest), ...copySteps(rest), ...runSteps(rest)];
  found.sort((a, b) => a.at - b.at);
  return {
    steps: found.flatMap((each) => each.steps).slice(0, 200),
    parallel: /\bin parallel\b|\bat (?:the same time|once)\b|\bsimultaneously\b/i.test(text),
  };
}

/** Text between two lines of dashes, to be written unchanged. */
const verbatim = /\n-----\n([\s\S]*?)\n-----(?=\n|$)/;

const writeExactly = (text: string, content: string): Step[] =>
  [...text.matchAll(writes)].slice(0, 1).map((match) => ({ kind: 'write', path: bare(match[1]) ?? '', content }));

interface Found {
  readonly at: number;
  readonly steps: readonly Step[];
}

function readSteps(text: string, other: string | undefined): Found[] {
  return [...text.matchAll(reads)].map((match) => {
    const once = pathList(match[1] ?? '').map(
      (name): Step => ({ kind: 'read', path: name, ...(other !== undefined && { instead: other }) }),
    );
    return { at: match.index, steps: Array.from({ length: Math.min(Number(match[2] ?? 1), 100) }, () => once).flat() };
  });
}

function writeSteps(text: string): Found[] {
  const matches = [...text.matchAll(writes)].filter((match) => !/\b(?:read|copy)\b/i.test(match[0]));
  return matches.map((match, at) => {
    const end = match.index + match[0].length;
    const sentence = text.slice(match.index, matches[at + 1]?.index ?? text.length);
    const tail = text.slice(end, matches[at + 1]?.index ?? text.length);
    return { at: match.index, steps: pathList(match[1] ?? '').map((name) => writeStep(name, sentence, tail)) };
  });
}

const size = /(\d+)\s*(?:KB|KiB|kilobytes?)\b/i;
const oneLine =
  /^[^\n]{0,60}?\b(?:exactly\s+)?one\s+line\s*:\s*(?:"([^"\n]*)"|`([^`\n]*)`|([^\n]+?))(?=[.!]?(?:\s+(?:Then|Finally|After|Do)\b|\s*$|\n))/;
const quoted =
  /^[^\n]{0,60}?(?:\bcontaining\b|\bwith\b|\bsaying\b|:)[^\n"'`]{0,40}?(?:"([^"\n]*)"|'([^'\n]*)'|`([^`\n]*)`)/i;
const same = new RegExp(`\\b(?:same (?:content|text)s? as|contents? of|copy of)\\s+(${path})`, 'i');

function writeStep(name: string, sentence: string, tail: string): Step {
  const kilobytes = size.exec(sentence)?.[1];
  if (kilobytes !== undefined) return { kind: 'write', path: name, content: bigContent(Number(kilobytes) * 1024) };
  const copyOf = bare(same.exec(tail)?.[1]);
  if (copyOf !== undefined) return { kind: 'write', path: name, content: '', copyOf };
  if (/^[^.\n]{0,40}\b(?:its|their) own (?:file )?name/i.test(tail))
    return { kind: 'write', path: name, content: `${name}\n` };
  const match = oneLine.exec(tail) ?? quoted.exec(tail);
  const requestedText = match === null ? undefined : match.slice(1).find((part) => part !== undefined);
  return { kind: 'write', path: name, content: `${requestedText?.trim() ?? `This is ${name}.`}\n` };
}

const copySteps = (text: string): Found[] =>
  [...text.matchAll(copies)].map((match) => {
    const from = bare(match[1]) ?? '';
    return {
      at: match.index,
      steps: [
        { kind: 'read', path: from },
        { kind: 'write', path: bare(match[2]) ?? '', content: '', copyOf: from },
      ],
    };
  });

const runSteps = (text: string): Found[] =>
  [...text.matchAll(runs)].map((match) => ({ at: match.index, steps: [{ kind: 'run', command: match[1] ?? '' }] }));

/** `a.txt, b.txt and c.txt`, or a range such as `n01.txt to n20.txt`. */
function pathList(text: string): string[] {
  const names = [...text.matchAll(new RegExp(path, 'g'))].map((match) => bare(match[0]) ?? '');
  const [first, last] = names;
  if (names.length !== 2 || first === undefined || last === undefined || !/(?:\bto\b|\bthrough\b|\.\.|…|–)/.test(text))
    return names;
  return range(first, last) ?? names;
}

function range(first: string, last: string): string[] | undefined {
  const from = /^(.*?)(\d+)(\D*)$/.exec(first);
  const to = /^(.*?)(\d+)(\D*)$/.exec(last);
  if (from === null || to === null || from[1] !== to[1] || from[3] !== to[3]) return undefined;
  const start = Number(from[2]);
  const count = Number(to[2]) - start + 1;
  if (count < 1 || count > 100) return undefined;
  return Array.from(
    { length: count },
    (_, at) => `${from[1]}${String(start + at).padStart((from[2] ?? '').length, '0')}${from[3]}`,
  );
}

const bare = (name: string | undefined): string | undefined => name?.replace(/^["'`]|["'`]$/g, '');
