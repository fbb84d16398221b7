import type { IncomingHttpHeaders } from 'node:http';
import { type FaultSpec, parseFaults } from './faults/faults.ts';

/**
 * Everything that can be configured about a model; by model, by id suffix (`sim-native@chunk=1,delay=5`) or by
 * `x-sim-*` header.
 */
export interface Controls {
  /** How it treats `tools`: makes native calls, writes them as text into its content, answers 400, or ignores them. */
  readonly tools: 'native' | 'leak' | 'refuse' | 'ignore';
  /** How it treats a constraint on its response: ignores it, keeps its calls' arguments valid, or answers 400. */
  readonly constraint: 'ignore' | 'heed' | 'refuse';
  /** Of 100 calls that it is asked to write again, how many have no fault; undefined: its usual faults apply. */
  readonly mends: number | undefined;
  /** The dialect it was trained in: what it leaks, and what it prefers if its prompt describes several. */
  readonly dialect: string | undefined;
  /** The engine whose error bodies and refusals it uses. */
  readonly engine: 'vllm' | 'ollama' | 'llamacpp' | 'lmstudio';
  /** vLLM's error body: top-level as it was for years, or wrapped as in newer versions. */
  readonly errors: 'old' | 'new';
  readonly reasoning: 'none' | 'field' | 'think';
  /** Answers 400 if a past response with calls comes back without its reasoning. */
  readonly needsReasoning: boolean;
  /** Repeats the user's text. */
  readonly echo: boolean;
  /** Writes a sentence before its native calls. */
  readonly talks: boolean;
  /** Characters per chunk of the stream. */
  readonly chunk: number;
  /** Milliseconds between chunks, before the headers, and from the headers to the first chunk. */
  readonly delay: number;
  readonly headers: number;
  readonly first: number;
  /** Milliseconds of silence in the middle of the stream. */
  readonly silence: number;
  /** Context length in tokens. */
  readonly context: number;
  readonly seed: string;
  /** Seconds in `Retry-After` with a 429 or 503; undefined: no such header. */
  readonly retryAfter: number | undefined;
  readonly faults: readonly FaultSpec[];
}

/** The default controls of a model. */
export const defaultControls: Controls = {
  tools: 'native',
  constraint: 'ignore',
  mends: undefined,
  dialect: undefined,
  engine: 'vllm',
  errors: 'new',
  reasoning: 'none',
  needsReasoning: false,
  echo: false,
  talks: false,
  chunk: 4,
  delay: 0,
  headers: 0,
  first: 0,
  silence: 0,
  context: 131_072,
  seed: '1',
  retryAfter: undefined,
  faults: [],
};

const oneOf =
  <T extends string>(values: readonly T[]) =>
  (text: string): T | undefined =>
    values.find((value) => value === text);
const count = (text: string): number | undefined => (/^\d{1,9}$/.test(text) ? Number(text) : undefined);
const flag = (text: string): boolean => text !== 'off' && text !== 'false' && text !== '0';

/** How each control is parsed from text; undefined: invalid, and left unchanged. */
const readers: { readonly [Name in keyof Controls]: (text: string) => Controls[Name] | undefined } = {
  tools: oneOf(['native', 'leak', 'refuse', 'ignore']),
  constraint: oneOf(['ignore', 'heed', 'refuse']),
  mends: count,
  dialect: (text) => text,
  engine: oneOf(['vllm', 'ollama', 'llamacpp', 'lmstudio']),
  errors: oneOf(['old', 'new']),
  reasoning: oneOf(['none', 'field', 'think']),
  needsReasoning: flag,
  echo: flag,
  talks: flag,
  chunk: (text) => count(text) || undefined,
  delay: count,
  headers: count,
  first: count,
  silence: count,
  context: count,
  seed: (text) => text,
  retryAfter: count,
  faults: parseFaults,
};

const headerOf = (name: string): string => `x-sim-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** The controls that an id's suffix sets: `@name=value,name=value`; several faults are joined by `+`. */
export function suffixControls(suffix: string): Partial<Controls> {
  const pairs = suffix.split(',').map((part): [string, string] => {
    const at = part.indexOf('=');
    return at < 0 ? [part, 'on'] : [part.slice(0, at), part.slice(at + 1)];
  });
  return readControls((name) => pairs.find(([key]) => key === name)?.[1]);
}

/** The controls that a request's `x-sim-*` headers set. */
export const headerControls = (headers: IncomingHttpHeaders): Partial<Controls> =>
  readControls((name) => {
    const value = headers[headerOf(name)];
    return typeof value === 'string' ? value : undefined;
  });

function readControls(lookUp: (name: string) => string | undefined): Partial<Controls> {
  const found: [string, unknown][] = [];
  for (const [name, read] of Object.entries(readers)) {
    const text = lookUp(name);
    const value = text === undefined ? undefined : read(text);
    if (value !== undefined) found.push([name, value]);
  }
  return Object.fromEntries(found) as Partial<Controls>;
}
