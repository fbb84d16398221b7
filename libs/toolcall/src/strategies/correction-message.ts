import { isObject, type JsonObject, type JsonValue, type ToolTable, type Turn } from '@callsmith/turn';
import { utf8Length } from '../finalize/pending-call.ts';
import type { SchemaMismatch } from '../finalize/schema-check.ts';
import type { Unusable, UnusableCall } from '../finalize/unusable.ts';
import { nearestNames } from './nearest-names.ts';

/** Maximum characters of a short quotation. */
const longestGot = 80;
/** Maximum size of a schema or raw call that is quoted. */
const longestQuoted = 1024;
const mostNames = 20;

const again = 'Write the call again, complete.';

/** Tells the model about an unusable answer: what was expected, what came, and to try again. */
export function correctionMessage(unusable: Unusable, { tools, toolChoice }: Turn): string {
  switch (unusable.kind) {
    case 'calls':
      return unusable.calls.map((call) => correctionOf(call, tools, { quotesRaw: false })).join('\n\n');
    case 'empty':
      return 'Your answer was empty. Go on: call a tool, or answer in words.';
    case 'call-in-reasoning':
      return `The call stood in your reasoning, where calls are not run. ${again}`;
    case 'announced':
      return 'You announced a tool call and made none. Tools run between your answers, and no output was seen by you while you reasoned. Make the call now, or say that it was not done.';
    case 'rejected':
      return `The call that you began could not be read, and was not run. ${again}`;
    case 'no-call':
      return typeof toolChoice === 'object'
        ? `Your answer must call the tool "${toolChoice.name}", and it called none. ${again}`
        : `Your answer must call a tool, and it called none. Tools on offer: ${names('', tools)}. ${again}`;
  }
}

/** What is wrong with one call. `quotesRaw`: the model's text is quoted, as no message contains it. */
export function correctionOf(
  call: UnusableCall,
  tools: ToolTable,
  { quotesRaw }: { readonly quotesRaw: boolean },
): string {
  const lines = [...problemOf(call, tools), ...(quotesRaw && call.raw !== '' ? [quoted(call.raw)] : [])];
  return [...lines, ...schemaOf(call), again].join('\n');
}

function problemOf({ class: found, name, tool, mismatch, raw }: UnusableCall, tools: ToolTable): string[] {
  if (tool === undefined && found === 'UnknownName')
    return [`The call was not run: no tool is called "${cut(name)}". Tools on offer: ${names(name, tools)}.`];
  const start = name === '' ? 'The call' : `The call of "${cut(name)}"`;
  if (mismatch) return [`${start} was not run: ${mismatchText(mismatch)}.`];
  if (found === 'MissingArguments') return [`${start} was not run: it came without arguments.`];
  const got = raw === '' ? 'nothing' : `\`${cut(raw)}\``;
  return [`${start} was not run: its arguments cannot be read. Wanted: one JSON object. Got: ${got}.`];
}

/** "`arguments.count: wanted integer, got "two"`" */
function mismatchText({ path, keyword, schema, value }: SchemaMismatch): string {
  const got = value === undefined ? 'nothing' : cut(JSON.stringify(value));
  return `${path}: wanted ${wantedBy(keyword, schema)}, got ${got}`;
}

function wantedBy(keyword: string, schema: JsonObject | undefined): string {
  if (keyword === 'additionalProperties') return 'no such key';
  const allowed = schema?.const !== undefined ? [schema.const] : schema?.enum;
  if (Array.isArray(allowed))
    return `one of ${allowed
      .slice(0, mostNames)
      .map((one) => cut(JSON.stringify(one)))
      .join(', ')}`;
  const type = typeText(schema?.type);
  if (keyword === 'required') return type === '' ? 'a value' : `a value (${type})`;
  return type === '' ? 'a value that the schema accepts' : type;
}

const typeText = (type: JsonValue | undefined): string =>
  typeof type === 'string'
    ? type
    : Array.isArray(type)
      ? type.filter((one) => typeof one === 'string').join(' or ')
      : '';

function schemaOf({ tool, unshown }: UnusableCall): string[] {
  if (tool?.parameters === undefined || !isObject(tool.parameters)) return [];
  const json = JSON.stringify(tool.parameters);
  return unshown || utf8Length(json) <= longestQuoted ? [`Schema of the arguments: ${json}`] : [];
}

const quoted = (raw: string): string =>
  `What you wrote: ${raw.length <= longestQuoted ? raw : `${raw.slice(0, longestQuoted)}…`}`;

const cut = (text: string): string => (text.length <= longestGot ? text : `${text.slice(0, longestGot - 1)}…`);

function names(like: string, tools: ToolTable): string {
  const all = nearestNames(
    like,
    tools.list.map(({ name }) => name),
  );
  const more = all.length - mostNames;
  return `${all.slice(0, mostNames).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
