import { isObject, type ToolTable } from '@callsmith/turn';
import type { CallBuilder, Dialect, OpeningMarker } from '../dialect.ts';
import {
  callAhead,
  callSyntaxCanExpress,
  listAhead,
  listOpeningMarkers,
  parseCallList,
  parseCallSyntax,
  renderCallSyntax,
} from '../families/call-syntax.ts';
import { llama4Template } from '../families/chat-templates.ts';
import { parseClosingMarker } from '../families/json-calls.ts';
import { toolResponse } from '../families/result-format.ts';
import { example, toolPrompt } from '../families/tool-prompt.ts';
import { OpenTools } from '../open-tools.ts';
import { type Scanner, type Step, unsure } from '../scanner.ts';

const open = '<|python_start|>';
const end = '<|python_end|>';

/** `<NAME(`: small models write the call as a tag. */
const tagOpeners = (tools: ToolTable): readonly OpeningMarker[] =>
  tools instanceof OpenTools
    ? []
    : tools.list.map(({ name }) => ({ text: `<${name}(`, at: 'line', rule: 'foreign-wrapper', onlyAtEnd: 'always' }));

const isTag = ({ openingMarker: { text } }: CallBuilder): boolean => text.startsWith('<') && text.endsWith('(');

/** True if arguments of the tool follow, in a tag that ends on its line: so no long text is searched for its end. */
const argumentsAhead = (scan: Scanner, { tools, openingMarker }: CallBuilder): Step<boolean> =>
  scan.look(640, (ahead, all) => {
    if (!/^[^\n]*\)[ \t]*\/?>/.test(ahead)) return !all && !ahead.includes('\n') ? unsure : false;
    if (/^\s*(?:\)|["']|\{\s*["'}])/.test(ahead)) return true;
    const key = /^\s*([A-Za-z_][\w-]*)\s*[=:]\s*[^\s=:]/.exec(ahead)?.[1];
    const properties = tools.get(openingMarker.text.slice(1, -1))?.parameters?.properties;
    if (key !== undefined) return isObject(properties) && Object.hasOwn(properties, key);
    return !all && /^\s*(?:\{\s*|[A-Za-z_][\w-]*\s*(?:[=:]\s*)?)?$/.test(ahead) ? unsure : false;
  });

/** `[f(a=1, b="x"), g()]`: Llama 3.2 to 4, ToolACE; Llama 4 may put `<|python_start|>…<|python_end|>` around it */
export const pythonicLlama: Dialect = {
  name: 'pythonic-llama',
  openingMarkers: (_tools, own) => [{ text: open, at: 'anywhere' }, ...listOpeningMarkers(own)],
  openingMarkersByName: tagOpeners,
  *matches(scan, builder) {
    if (isTag(builder)) return yield* argumentsAhead(scan, builder);
    if (builder.openingMarker.text !== open) return yield* listAhead(scan, builder);
    return (yield* scan.afterSpace(1)) === '[' || (yield* callAhead(scan)) !== undefined;
  },
  *parse(scan, builder) {
    if (isTag(builder)) {
      scan.back(builder.openingMarker.text.length - 1);
      yield* parseCallSyntax(scan, builder, ['>']);
      yield* scan.takeText('/');
      yield* parseClosingMarker(scan, builder, ['>']);
      return;
    }
    yield* scan.space();
    const bracket = builder.openingMarker.text === '[' || (yield* scan.takeText('['));
    yield* parseCallList(scan, builder, [end], bracket);
    yield* scan.space();
    yield* scan.takeText(end);
  },
  ambiguous: true,
  renderToolPrompt: (tools, shape) =>
    toolPrompt(tools, shape, pythonicLlama.renderCall(example), [
      'Write the calls as Python, in one list, and nothing else.',
    ]),
  renderCall: (call) => `[${renderCallSyntax(call, true)}]`,
  closingMarkers: () => [end],
  template: llama4Template,
  ...toolResponse,
  canExpress: callSyntaxCanExpress,
};
