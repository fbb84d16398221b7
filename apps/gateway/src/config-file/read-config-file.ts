import { readFileSync } from 'node:fs';
import { type ConfigFile, configFile, plainMessage } from '@callsmith/contracts';
import { isMap, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { fieldsOf } from '../admin/parse-input.ts';

/** A configuration file cannot be read or used; its message names every position. */
export class UnreadableConfigFile extends Error {
  override readonly name = 'UnreadableConfigFile';
}

/** Values are secrets, or may contain one. */
const SECRET = /(?:^|\.)(?:credential|secret|sha256|url|headers)(?:$|[.[])/;

/**
 * Reads a configuration file in YAML and replaces its references: `${NAME}` in a text by that environment variable
 * (`$${` is a plain `${`), and a map `{file: PATH}` by that file's text. Throws `UnreadableConfigFile`, which names the
 * line, the field, what was found and what was expected.
 */
export function readConfigFile(path: string, env: NodeJS.ProcessEnv): ConfigFile {
  const lines = new LineCounter();
  const document = parseDocument(textOf(path), { lineCounter: lines });
  const lineOf = (offset: number | undefined) => (offset === undefined ? 1 : lines.linePos(offset).line);
  const problems: string[] = document.errors.map(
    ({ pos, message }) => `${path}:${lineOf(pos[0])}: ${message.split('\n')[0]}`,
  );
  if (problems.length > 0) throw new UnreadableConfigFile(problems.join('\n'));
  // A variable's value may be a secret, wherever it is used.
  const referenced = new Set<unknown>();
  visit(document, {
    Map(_, map) {
      const [item, another] = map.items;
      if (another !== undefined || !isScalar(item?.key) || item.key.value !== 'file') return;
      const file = isScalar(item.value) ? item.value.value : undefined;
      if (typeof file !== 'string') return;
      try {
        const text = document.createNode(readFileSync(file, 'utf8').trim());
        referenced.add(text);
        text.range = map.range ?? null;
        return text;
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        problems.push(`${path}:${lineOf(map.range?.[0])}: the file ${file} cannot be read (${code})`);
      }
      return visit.SKIP;
    },
    Scalar(_, scalar) {
      if (typeof scalar.value !== 'string') return;
      const { missing, value } = filledIn(scalar.value, env);
      if (value !== scalar.value) referenced.add(scalar);
      scalar.value = value;
      for (const name of missing)
        problems.push(`${path}:${lineOf(scalar.range?.[0])}: the environment variable ${name} is not set`);
    },
  });
  if (problems.length > 0) throw new UnreadableConfigFile(problems.join('\n'));
  const parsed: unknown = document.toJS();
  const read = configFile.safeParse(parsed ?? {}, { error: plainMessage });
  if (read.success) return read.data;
  const wrong = read.error.issues.flatMap((issue) => {
    const node = nearest(document.contents, issue.path);
    return fieldsOf(issue, parsed).map(({ path: field, message }) => {
      const hidden = SECRET.test(field) || referenced.has(node);
      const found = isScalar(node) && !hidden ? `; found ${JSON.stringify(node.value)}` : '';
      // Some schemas report the found value themselves.
      return `${path}:${lineOf(node?.range?.[0])}: ${field || 'the file'} ${message.replace(/; found .*$/s, '')}${found}`;
    });
  });
  throw new UnreadableConfigFile(wrong.join('\n'));
}

function textOf(path: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8');
  } catch (error) {
    throw new UnreadableConfigFile(`${path}: cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

function filledIn(text: string, env: NodeJS.ProcessEnv): { value: string; missing: string[] } {
  const missing: string[] = [];
  const value = text.replace(/\$(\$\{)|\$\{([A-Za-z_]\w*)\}/g, (whole, escaped: string | undefined, name: string) => {
    if (escaped !== undefined) return escaped;
    if (!env[name]) missing.push(name);
    return env[name] ?? whole;
  });
  return { value, missing };
}

/** The node at a path, or its deepest existing ancestor. */
function nearest(root: Node | null, path: readonly PropertyKey[]): Node | null {
  let node = root;
  for (const part of path) {
    const next: unknown =
      isMap(node) || (node && 'items' in node)
        ? (node as { get(key: unknown, keep: true): unknown }).get(part, true)
        : undefined;
    if (typeof next !== 'object' || next === null) return node;
    node = next as Node;
  }
  return node;
}
