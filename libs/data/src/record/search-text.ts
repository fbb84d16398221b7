import { parseJson } from '@callsmith/turn';
import { recorded } from './storable.ts';
import type { TurnBodyRecord } from './turn-record.ts';

/** Maximum UTF-16 units of a request's searchable text. */
const MOST = 64 * 1024;
const MOST_PATHS = 200;
const LONGEST_PATH = 200;
const MOST_DEPTH = 8;

/**
 * The searchable text of a request, from a body whose secrets are masked: the response with its calls, then the user's
 * text, the last first, because clients send the same instructions at the beginning of each request.
 */
export function searchText(body: TurnBodyRecord): string {
  const answerTexts = body.raw.map(({ text }) => text);
  const calls = callsOf(body.delivered).map(({ name, arguments: json }) => `${name} ${json}`);
  return recorded([...answerTexts, ...calls, ...userTexts(body.clientRequest)].join('\n').slice(0, MOST));
}

/** The paths of all arguments of the delivered calls, e.g. `edits.path`; items of a list share the path of the list. */
export function argumentPaths(body: TurnBodyRecord): string[] {
  const paths = new Set<string>();
  for (const { arguments: json } of callsOf(body.delivered)) addPaths(parseJson(json), '', 0, paths);
  return [...paths];
}

function addPaths(value: unknown, above: string, depth: number, paths: Set<string>): void {
  if (typeof value !== 'object' || value === null || depth > MOST_DEPTH) return;
  for (const [name, item] of Object.entries(value)) {
    if (paths.size >= MOST_PATHS) return;
    const path = Array.isArray(value) ? above : above === '' ? name : `${above}.${name}`;
    if (path !== '' && path.length <= LONGEST_PATH) paths.add(path);
    addPaths(item, path, depth + 1, paths);
  }
}

interface DeliveredCall {
  readonly name: string;
  readonly arguments: string;
}

function callsOf(delivered: unknown): DeliveredCall[] {
  if (!Array.isArray(delivered)) return [];
  return delivered
    .flatMap((choice: { readonly calls?: unknown } | null) => (Array.isArray(choice?.calls) ? choice.calls : []))
    .filter((call: Partial<DeliveredCall> | null) => typeof call?.arguments === 'string');
}

/** The user's text in a request of any of the APIs, the last first; of a truncated one, everything that is there. */
function userTexts(json: string | null): string[] {
  if (json === null) return [];
  const request = parseJson(json);
  if (typeof request !== 'object' || request === null) return [json.slice(0, MOST)];
  const { messages, input, prompt } = request as Readonly<Record<string, unknown>>;
  if (Array.isArray(messages)) return messages.flatMap(textsOfUser).reverse();
  if (Array.isArray(input)) return input.flatMap(textsOfUser).reverse();
  return [input, prompt].filter((text) => typeof text === 'string');
}

interface Message {
  readonly role?: unknown;
  readonly content?: unknown;
}

function textsOfUser(message: Message | string | null): string[] {
  if (typeof message === 'string') return [message];
  if (message?.role !== 'user') return [];
  if (typeof message.content === 'string') return [message.content];
  if (!Array.isArray(message.content)) return [];
  return message.content.flatMap((part: { readonly text?: unknown } | null) =>
    typeof part?.text === 'string' ? part.text : [],
  );
}
