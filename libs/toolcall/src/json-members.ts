/** One member of an object or one element of a list, by its range in the text. */
export interface Member {
  /** Decoded key; '' in a list. */
  readonly key: string;
  /** Start of the member: of its key, or of its value in a list. */
  readonly start: number;
  /** Range of the value: [from, to). */
  readonly from: number;
  readonly to: number;
}

/** The members of the strict JSON object or list that begins at `from`. */
export function members(json: string, from = 0): Member[] {
  const found: Member[] = [];
  let at = skipBlank(json, from);
  const object = json[at] === '{';
  at = skipBlank(json, at + 1);
  while (at < json.length && json[at] !== '}' && json[at] !== ']') {
    let key = '';
    const start = at;
    if (object) {
      const end = endOfValue(json, at);
      key = JSON.parse(json.slice(at, end)) as string;
      at = skipBlank(json, skipBlank(json, end) + 1);
    }
    const to = endOfValue(json, at);
    found.push({ key, start, from: at, to });
    at = skipBlank(json, to);
    if (json[at] === ',') at = skipBlank(json, at + 1);
  }
  return found;
}

/** The index after the strict JSON value that begins at `from`. */
export function endOfValue(json: string, from: number): number {
  let depth = 0;
  for (let at = from; at < json.length; at++) {
    const char = json[at];
    if (char === '"') {
      at++;
      while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
      if (depth === 0) return at + 1;
    } else if (char === '{' || char === '[') {
      depth++;
    } else if (char === '}' || char === ']') {
      if (depth === 0) return at;
      depth--;
      if (depth === 0) return at + 1;
    } else if (
      depth === 0 &&
      (char === ',' || char === ':' || char === ' ' || char === '\n' || char === '\r' || char === '\t')
    ) {
      return at;
    }
  }
  return json.length;
}

function skipBlank(json: string, from: number): number {
  let at = from;
  while (json[at] === ' ' || json[at] === '\n' || json[at] === '\t' || json[at] === '\r') at++;
  return at;
}
