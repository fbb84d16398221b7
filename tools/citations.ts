import { dirname, join, normalize } from 'node:path/posix';

/** The pages that define what may be cited. */
const BEHAVIOR = 'docs/behavior.md';
const SECURITY = 'docs/security.md';
const REQUIREMENTS = 'docs/requirements.md';

/**
 * Finds broken citations: numbers of rules, checks, requirements and decisions without a page, names of pages that do
 * not exist, broken links and paths. `files` maps every path of the repository to its text; a file whose text is not
 * searched maps to an empty one. Each result is "file: what is wrong".
 */
export function danglingCitations(files: ReadonlyMap<string, string>): string[] {
  const known = knownNumbers(files);
  const exists = everyPath(files);
  return [...files].flatMap(([file, text]) => {
    const prose = proseOf(file, text);
    const problems = [...numbers(prose, known), ...pages(file, prose, exists)];
    if (file.endsWith('.md'))
      problems.push(
        ...links(file, text, files, exists),
        ...paths(prose, exists),
        ...ownFiles(file, prose, files, exists),
      );
    return [...new Set(problems)].map((problem) => `${file}: ${problem}`);
  });
}

interface KnownNumbers {
  readonly rules: ReadonlySet<string>;
  readonly checks: ReadonlySet<string>;
  readonly requirements: ReadonlySet<string>;
  readonly decisions: ReadonlySet<string>;
}

function knownNumbers(files: ReadonlyMap<string, string>): KnownNumbers {
  const numbered = (page: string, pattern: RegExp) =>
    new Set([...(files.get(page) ?? '').matchAll(pattern)].map(([, id = '']) => id));
  const decisions = [...files.keys()].flatMap((file) => /^docs\/decisions\/0*(\d+)-/.exec(file)?.[1] ?? []);
  return {
    rules: numbered(BEHAVIOR, /^### D-(\d+) /gm),
    checks: numbered(SECURITY, /^## (\d+) /gm),
    requirements: numbered(REQUIREMENTS, /^\| ([A-Z]+-\d+) /gm),
    decisions: new Set(decisions),
  };
}

function* numbers(prose: string, known: KnownNumbers): Generator<string> {
  for (const [cited, id = ''] of prose.matchAll(/(?<![\w-])D-(\d+)\b/g))
    if (!known.rules.has(id)) yield `${cited} is no rule of ${BEHAVIOR}`;
  for (const [, list = ''] of prose.matchAll(/\bsecurity (\d+(?:,? \d+)*)\b/gi))
    for (const id of list.match(/\d+/g) ?? [])
      if (!known.checks.has(id)) yield `security ${id} is no check of ${SECURITY}`;
  for (const [id] of prose.matchAll(/(?<![\w-])(?:R|FR|SC|E|M|L|H|A)-\d+\b/g))
    if (!known.requirements.has(id)) yield `${id} is no requirement of ${REQUIREMENTS}`;
  for (const [cited, id = ''] of prose.matchAll(/\bdecision (\d+)\b/gi))
    if (!known.decisions.has(id)) yield `${cited} has no page in docs/decisions`;
}

/** Pages that a sentence names: `docs/running.md`, `README.md`. */
function* pages(file: string, prose: string, exists: (path: string) => boolean): Generator<string> {
  const sentences = prose.replace(/\[[^\]]*\]\([^)]*\)/g, '');
  for (const [page] of sentences.matchAll(/(?<![\w./-])[\w./-]*\w\.md\b/g))
    if (!PLACEHOLDER.test(page) && !exists(page) && !exists(join(dirname(file), page))) yield `there is no ${page}`;
}

/** `[text](target#anchor)` in Markdown; external addresses are not checked. */
function* links(
  file: string,
  text: string,
  files: ReadonlyMap<string, string>,
  exists: (path: string) => boolean,
): Generator<string> {
  for (const [, target = ''] of withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target)) continue;
    const [path = '', anchor] = target.split('#');
    const page = path === '' ? file : normalize(join(dirname(file), path));
    if (!exists(page)) yield `the link to ${target} is broken`;
    else if (anchor !== undefined && !anchorsOf(files.get(page) ?? '').has(anchor)) yield `${page} has no #${anchor}`;
  }
}

/** `<name>`, `*`, `{a,b}`, or a word in capitals that is no page of the root. */
const PLACEHOLDER = /[<*{]|\b(?!(?:README|CONTRIBUTING|SECURITY|CHANGELOG)\b)[A-Z]{3,}\b/;

/** Paths in backticks that begin with a folder of the repository; what follows a placeholder is not checked. */
function* paths(prose: string, exists: (path: string) => boolean): Generator<string> {
  for (const [, path = ''] of prose.matchAll(
    /`((?:apps|libs|docs|docker|e2e|prisma|scripts|tools|\.ci|\.github)\/[^\s`]*)`/g,
  )) {
    const given = path.split(PLACEHOLDER)[0] ?? path;
    const fixed = given === path ? path : given.slice(0, given.lastIndexOf('/'));
    if (!exists(fixed.replace(/\/$/, ''))) yield `there is no ${path}`;
  }
}

/** In the README of a project: names of its own files (`turn.ts`) and folders (`parse/`) in backticks. */
function* ownFiles(
  file: string,
  prose: string,
  files: ReadonlyMap<string, string>,
  exists: (path: string) => boolean,
): Generator<string> {
  const [, project] = /^((?:apps|libs)\/[^/]+\/)README\.md$/.exec(file) ?? [];
  if (project === undefined) return;
  const own = [...files.keys()].filter((path) => path.startsWith(project));
  for (const [, name = ''] of prose.matchAll(/`(\w[\w./-]*(?:\.(?:m?ts|mjs)|\/))`/g)) {
    const isFolder = name.endsWith('/');
    const named = (path: string) => (isFolder ? path.includes(`/${name}`) : path.endsWith(`/${name}`));
    if (!own.some(named) && !exists(name.replace(/\/$/, ''))) yield `there is no ${name}`;
  }
}

/** Whether a path is a file of the repository or a folder that holds one. */
function everyPath(files: ReadonlyMap<string, string>): (path: string) => boolean {
  const all = new Set(files.keys());
  for (const file of files.keys())
    for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) all.add(folder);
  return (path) => all.has(normalize(path));
}

/** The sentences of a file: Markdown without code blocks; comments and test names of code. */
function proseOf(file: string, text: string): string {
  if (file.endsWith('.md')) return withoutCode(text);
  if (/\.jsonl?$/.test(file)) return '';
  const comments = text.match(/(?:^\s*(?:\/\/|\/?\*|--|#).*$)|(?:\s\/\/ .*$)|(?:\/\*.*?\*\/)/gm) ?? [];
  const names = [
    ...text.matchAll(/(?:\b(?:it|test|describe)(?:\.\w+)*|[\])]\))\(\s*(['"`])((?:(?!\1)[^\\\n]|\\.)*)\1/g),
  ];
  return [...comments, ...names.map(([, , name]) => name)].join('\n');
}

const withoutCode = (markdown: string): string => markdown.replace(/^\s*```[\s\S]*?^\s*```$/gm, '');

/** The anchors that GitHub generates for headings. */
function anchorsOf(markdown: string): Set<string> {
  const headings = [...withoutCode(markdown).matchAll(/^#+ (.+)$/gm)];
  const slug = (heading: string) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-');
  return new Set(headings.map(([, heading = '']) => slug(heading)));
}
