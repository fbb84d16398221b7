import { isObject, type PastCall, parseJson } from '@callsmith/turn';
import type { Dialect } from '../dialect.ts';
import { quoted } from '../escape.ts';
import { ArgumentsWriter, jsonFromRaw } from '../families/arguments-writer.ts';
import { rawMembers } from '../families/tags.ts';
import { example, toolPrompt } from '../families/tool-prompt.ts';
import { takeTagName, toolTagAhead, toolTagClosers, toolTagOpeningMarkers } from '../families/tool-tags.ts';
import { findOneOf } from '../find.ts';
import { parseLooseJson } from '../parse-loose-json.ts';
import { parseWhole } from '../parse-whole.ts';
import { ParseFailure } from '../scanner.ts';

/** `<TOOLNAME>⏎key: value⏎body: |⏎  several⏎  lines⏎</TOOLNAME>` */
export const yamlXml: Dialect = {
  name: 'yaml-xml',
  ambiguous: true,
  openingMarkers: toolTagOpeningMarkers,
  closingMarkers: toolTagClosers,
  markersNameTools: true,
  *matches(scan, builder) {
    const ahead = yield* toolTagAhead(scan, builder);
    const behind = ahead?.behind ?? '';
    return /^>[ \t]*\r?\n\s*[A-Za-z_][\w-]*:(?:\s|$)/.test(behind) || behind.startsWith(`>\n</${ahead?.tool.name}>`);
  },
  *parse(scan, builder) {
    const name = yield* takeTagName(scan, builder);
    yield* scan.takeText('>');
    const call = builder.open(name);
    call.wholeOnly = true;
    scan.markUnlessMarked();
    const from = scan.offset;
    if (!(yield* findOneOf(scan, [`\n</${name}>`]))) throw new ParseFailure('cut');
    const out = new ArgumentsWriter(call);
    for (const { key, raw, text } of yamlMembers(scan.since(from))) {
      out.jsonMember(key, text ? textOrTyped(raw, out, key) : fromPlain(raw, out, key));
    }
    out.end();
    scan.at += name.length + 4;
    call.close();
  },
  renderToolPrompt: (tools, shape) =>
    toolPrompt(tools, shape, yamlXml.renderCall(example), [
      'Inside the tag stands YAML, one parameter a line; write text of several lines as a block with |.',
    ]),
  renderCall: (call: PastCall) => `<${call.name}>\n${rawMembers(call).map(yamlLine).join('')}</${call.name}>`,
  renderResult: ({ name, text }) => `<tool_result name="${name}">\n${text}\n</tool_result>`,
  resultMarkers: [{ text: '<tool_result', at: 'anywhere', behind: /^(?: name=|>)/ }],
  resultEnds: ['</tool_result>'],
  canExpress: (call) => {
    const args = parseJson(call.arguments);
    return (
      isObject(args) &&
      !/\\u|\\r/.test(call.arguments) &&
      rawMembers(call).every(({ key, raw, text }) => /^[A-Za-z_][\w-]*$/.test(key) && text && /^[\w./ -]*\w$/.test(raw))
    );
  },
};

const textOrTyped = (raw: string, out: ArgumentsWriter, key: string): string =>
  jsonFromRaw(raw, out.typesOf(key), 'text');

/** A plain scalar: by the schema if there is one, else as YAML types it. */
function fromPlain(raw: string, out: ArgumentsWriter, key: string): string {
  const types = out.typesOf(key);
  if (types.size > 0) return jsonFromRaw(raw, types, undefined);
  const value = parseWhole(raw);
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return raw;
  if (/^[[{]/.test(raw)) return parseLooseJson(raw)?.json ?? quoted(raw);
  return quoted(raw);
}

/** The members of a flat YAML mapping: plain and quoted scalars, block scalars, lists of scalars. */
function yamlMembers(yaml: string): { key: string; raw: string; text: boolean }[] {
  const found: { key: string; raw: string; text: boolean }[] = [];
  const lines = yaml.replace(/\r$/, '').split(/\r?\n/);
  for (let at = 0; at < lines.length; at++) {
    const head = /^(\s*)([A-Za-z_][\w-]*):(?:[ \t]+(.*))?$/.exec(lines[at] as string);
    if (!head) continue;
    const [, indent = '', key = '', inline = ''] = head;
    const rest = inline.trim();
    const inner: string[] = [];
    while (at + 1 < lines.length && (/^\s*$/.test(lines[at + 1] as string) || deeper(lines[at + 1] as string, indent)))
      inner.push(lines[++at] as string);
    if (/^[|>][+-]?\d*$/.test(rest)) found.push({ key, raw: block(inner, rest), text: true });
    else if (rest === '' && inner.some((line) => /^\s*- /.test(line))) {
      const items = inner.filter((line) => /^\s*- /.test(line)).map((line) => line.replace(/^\s*- /, '').trim());
      found.push({
        key,
        raw: `[${items.map((item) => yamlItem(item)).join(', ')}]`,
        text: false,
      });
    } else if (/^"(?:[^"\\]|\\.)*"$/.test(rest))
      found.push({ key, raw: (parseJson(rest) as string | undefined) ?? rest, text: true });
    else if (/^'.*'$/.test(rest)) found.push({ key, raw: rest.slice(1, -1).replaceAll("''", "'"), text: true });
    else
      found.push({
        key,
        raw: [rest, ...inner.map((line) => line.trim())].filter((line) => line !== '').join(' '),
        text: false,
      });
  }
  return found;
}

const deeper = (line: string, indent: string): boolean =>
  /^\s*/.exec(line)?.[0].length !== undefined && (/^\s*/.exec(line)?.[0].length ?? 0) > indent.length;

function block(lines: readonly string[], style: string): string {
  const indent = Math.min(
    ...lines.filter((line) => line.trim() !== '').map((line) => /^\s*/.exec(line)?.[0].length ?? 0),
  );
  const text = lines
    .map((line) => line.slice(Number.isFinite(indent) ? indent : 0))
    .join(style[0] === '>' ? ' ' : '\n');
  return style.includes('-')
    ? text.replace(/\n+$/, '')
    : style.includes('+')
      ? `${text}\n`
      : `${text.replace(/\n+$/, '')}\n`;
}

function yamlLine({ key, raw, text }: { key: string; raw: string; text: boolean }): string {
  if (!text) return `${key}: ${raw}\n`;
  if (!raw.includes('\n')) return `${key}: ${/^[\w./ -]*\w$/.test(raw) ? raw : quoted(raw)}\n`;
  return `${key}: ${raw.endsWith('\n') ? '|' : '|-'}\n${raw
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => `  ${line}\n`)
    .join('')}`;
}

/** One element of a list: a quoted or plain scalar. */
function yamlItem(item: string): string {
  if (/^'.*'$/.test(item)) return quoted(item.slice(1, -1).replaceAll("''", "'"));
  return parseJson(item) === undefined ? quoted(item) : item;
}
