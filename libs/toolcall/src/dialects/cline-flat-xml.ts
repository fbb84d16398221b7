import { isObject } from '@callsmith/turn';
import type { CallBuilder, Dialect } from '../dialect.ts';
import { ArgumentsWriter } from '../families/arguments-writer.ts';
import { parseFlatParameters } from '../families/flat-parameters.ts';
import { parseNamedArguments } from '../families/named-arguments.ts';
import { attributesAhead, parseAttributes } from '../families/tag-attributes.ts';
import { rawMembers, tagsCanExpress } from '../families/tags.ts';
import { example, toolPrompt } from '../families/tool-prompt.ts';
import { takeTagName, toolTagAhead, toolTagClosers, toolTagOpeningMarkers } from '../families/tool-tags.ts';
import type { Scanner, Step } from '../scanner.ts';

/** True if what follows the tool's name looks like its parameters, or like the end of a call without any. */
function* paramsAhead(scan: Scanner, builder: CallBuilder): Step<boolean> {
  const ahead = yield* toolTagAhead(scan, builder);
  if (ahead && (jsonInTag.test(ahead.behind) || (yield* attributesAhead(scan, ahead.behind, ahead.tool)))) return true;
  const head = /^\s*(\/?)>\s*(?:<(\/?)([A-Za-z_][\w.-]*)>)?/.exec(ahead?.behind ?? '');
  if (!ahead || !head) return false;
  if (head[1] === '/') return true;
  if (head[2] === '/') return head[3] === ahead.tool.name;
  if (head[3] === undefined) return false;
  const properties = ahead.tool.parameters?.properties;
  if (!isObject(properties) || Object.hasOwn(properties, head[3])) return true;
  // Clients add tags of their own, such as `<task_progress>`: a tag of the tool's own must follow.
  return Object.keys(properties).some((key) => ahead.behind.includes(`<${key}>`));
}

/** `>{"path": …`: the arguments are in the tag as JSON. */
const jsonInTag = /^\s*>\s*\{\s*["'}]/;

/** `<TOOLNAME>⏎<PARAM>VALUE</PARAM>⏎</TOOLNAME>`: tags are named after tools and parameters (Cline, Roo, Kilo) */
export const clineFlatXml: Dialect = {
  name: 'cline-flat-xml',
  ambiguous: true,
  openingMarkers: toolTagOpeningMarkers,
  closingMarkers: toolTagClosers,
  markersNameTools: true,
  matches: paramsAhead,
  *parse(scan, builder) {
    const name = yield* takeTagName(scan, builder);
    const ends = [`</${name}>`];
    if (jsonInTag.test(yield* scan.ahead(64))) {
      builder.repair('tolerate-tag', scan.offset, scan.offset);
      yield* scan.space();
      yield* scan.takeText('>');
      return yield* parseNamedArguments(scan, builder, name, ends);
    }
    const call = builder.open(name);
    scan.markUnlessMarked();
    const out = new ArgumentsWriter(call);
    yield* parseAttributes(scan, call, out);
    if (yield* scan.takeText('/')) {
      yield* scan.takeText('>');
      out.end();
    } else {
      yield* scan.takeText('>');
      yield* parseFlatParameters(scan, call, ends, out);
    }
    call.close();
    return undefined;
  },
  renderToolPrompt: (tools, shape) =>
    toolPrompt(tools, shape, clineFlatXml.renderCall(example), [
      'The tag names are the names of the tool and of its parameters.',
      'Write values as they are, without quotes and without escaping; objects and lists as JSON.',
    ]),
  renderCall: (call) =>
    `<${call.name}>\n${rawMembers(call)
      .map(({ key, raw }) => `<${key}>${/^\r?\n|\r?\n$/.test(raw) ? `\n${raw}\n` : raw}</${key}>\n`)
      .join('')}</${call.name}>`,
  renderResult: ({ name, text }) => `[${name}] Result:\n${text}`,
  resultMarkers: [{ text: '[', at: 'line', behind: /^[\w.:-]+(?: for [^\n\]]*)?\] Result:/, ambiguous: true }],
  canExpress: (call, tool) => tagsCanExpress(call, tool, ['</', `<${call.name}`]),
};
