import { isObject, parseJson } from '@callsmith/turn';

/** The repaired arguments of a past call. */
export interface RepairedArguments {
  /** One JSON object as text; several if calls had been glued together. */
  readonly objects: readonly string[];
  /** What was wrong, in words; absent if nothing was. */
  readonly wrong?: string;
}

/**
 * A past call's argument text as JSON objects, so that no engine fails on it. Valid objects keep
 * their bytes; no arguments become `{}`; an object inside a string is unwrapped; glued objects are split; all else is
 * wrapped as `{"input":"…"}`.
 */
export function repairPastArguments(text: string): RepairedArguments {
  const parsed = parseJson(text);
  if (isObject(parsed)) return { objects: [text] };
  if (text.trim() === '' || parsed === null) return { objects: ['{}'], wrong: 'had no arguments' };
  if (typeof parsed === 'string' && isObject(parseJson(parsed)))
    return { objects: [parsed], wrong: 'had its arguments as JSON inside a string' };
  const objects = parsed === undefined ? gluedObjects(text) : undefined;
  if (objects) return { objects, wrong: `held ${objects.length} calls glued together` };
  return { objects: [JSON.stringify({ input: text })], wrong: 'had arguments that are not a JSON object' };
}

/** No response has more calls (D-39), so no past call is split into more. */
const mostGlued = 1000;
/** Longer texts are not searched for objects. */
const longestGlued = 2 * 1024 * 1024;

/** The objects of `{…}{…}`, if the text is nothing but two or more of them. */
function gluedObjects(text: string): string[] | undefined {
  if (text.length > longestGlued) return undefined;
  const objects: string[] = [];
  let from = 0;
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (quoted) {
      if (character === '\\') at += 1;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      depth -= 1;
      if (depth < 0) return undefined;
      if (depth > 0) continue;
      if (objects.length === mostGlued) return undefined;
      objects.push(text.slice(from, at + 1).trim());
      from = at + 1;
    }
  }
  const clean = text.slice(from).trim() === '' && objects.every((object) => isObject(parseJson(object)));
  return clean && objects.length > 1 ? objects : undefined;
}

/** The names of `count` glued calls: split (`read_filebash`) if all parts are on offer, else all the same. */
export function gluedNames(name: string, count: number, known: (name: string) => boolean): readonly string[] {
  const names = known(name) ? undefined : split(name, count, known);
  return names ?? Array.from({ length: count }, () => name);
}

function split(name: string, count: number, known: (name: string) => boolean): string[] | undefined {
  if (count === 1) return known(name) ? [name] : undefined;
  // Fast enough: names have a few hundred characters at most, and only known prefixes recurse.
  for (let at = 1; at < name.length; at += 1) {
    if (!known(name.slice(0, at))) continue;
    const rest = split(name.slice(at), count - 1, known);
    if (rest) return [name.slice(0, at), ...rest];
  }
  return undefined;
}
