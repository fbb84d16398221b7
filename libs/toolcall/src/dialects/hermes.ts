import type { CallBuilder, Dialect, OpeningMarker } from '../dialect.ts';
import { chatml } from '../families/chat-templates.ts';
import { jsonBlock } from '../families/json-block.ts';
import { parseClosingMarker, parseJsonCalls } from '../families/json-calls.ts';
import { thinkBlock } from '../families/reasoning.ts';
import { toolResponse } from '../families/result-format.ts';
import { type Scanner, type Step, unsure } from '../scanner.ts';

const close = '</tool_call>';

const block = jsonBlock({
  name: 'hermes',
  openingMarkers: [{ text: '<tool_call>', at: 'anywhere' }],
  closingMarkers: [close],
  strippedStart: '{',
  wrap: (json) => `<tool_call>\n${json}\n</tool_call>`,
  reasoning: [thinkBlock, { open: '<scratch_pad>', closes: ['</scratch_pad>'], at: 'line', elsewhere: 'line' }],
  result: toolResponse,
  template: chatml,
});

/** The opening marker with a bracket missing; the closing one may lack it too. */
const cutOpeners = ['tool_call>', '<tool_call'];

/** Variants of the opening marker that small models write. */
const alike = ['TOOL_CALL', 'Tool_Call', 'ToolCall', 'toolcall', 'tool-call', 'tool_call ', 'tool', 'function'];

/** Other markers that open a call, such as its own closing marker. After a call `<tool_response>` begins a result. */
const wrappers: readonly (OpeningMarker & { readonly close: string })[] = [
  { text: '<tools>', close: '</tools>', rule: 'foreign-wrapper' as const },
  { text: close, close, rule: 'open-wrapper' as const },
  { text: '<tool_response>', close: '</tool_response>', rule: 'foreign-wrapper' as const, onlyFirst: true },
  ...cutOpeners.map((text) => ({ text, close, rule: 'tolerate-tag' as const })),
  { text: '＜tool_call＞', close: '＜/tool_call＞', rule: 'tolerate-tag' as const },
  ...alike.map((name) => ({ text: `<${name}>`, close: `</${name}>`, rule: 'tolerate-tag' as const })),
  ...['TOOL_CALL', 'tool_call'].map((name) => ({
    text: `[${name}]`,
    close: `[/${name}]`,
    rule: 'tolerate-tag' as const,
  })),
].map((wrapper) => ({ ...wrapper, at: 'line', ambiguous: true, onlyAtEnd: 'always' }));

const wrapperOf = ({ openingMarker }: CallBuilder) => wrappers.find(({ text }) => text === openingMarker.text);

/**
 * `<tool_call>⏎{"name": …, "arguments": {…}}⏎</tool_call>`. Qwen2.5-Coder puts the JSON into a fence at the answer's end
 * instead, or into the `<tools>` of its prompt.
 */
export const hermes: Dialect = {
  ...block,
  openingMarkers: (tools, own) => [
    ...block.openingMarkers(tools, own),
    ...wrappers,
    ...(own ? ['{', '['] : []).map((text) => ({ text, at: 'fence' as const, rule: 'restore-markers' as const })),
  ],
  *matches(scan, builder) {
    if (!wrapperOf(builder)) return block.matches ? yield* block.matches(scan, builder) : true;
    const next = yield* scan.afterSpace(1);
    return next === '{' || next === '[';
  },
  *parse(scan, builder) {
    const wrapper = wrapperOf(builder);
    if (!wrapper) return yield* block.parse(scan, builder);
    do {
      yield* parseJsonCalls(scan, builder, {
        nameKey: 'name',
        argumentsKey: 'arguments',
        closingMarkers: [wrapper.close],
        unmarked: true,
      });
      yield* parseClosingMarker(scan, builder, [wrapper.close, close]);
    } while (yield* takeNextOpener(scan, wrapper.text));
  },
};

/** Consumes the opening marker of another call if `{` or `[` follows; it may be missing if it is the closing marker. */
function* takeNextOpener(scan: Scanner, opener: string): Step<boolean> {
  const length = yield* scan.look(160, (ahead, all) => {
    const blanks = ahead.length - ahead.trimStart().length;
    const behind = ahead.slice(blanks);
    if (opener === close && /^[{[]/.test(behind)) return blanks;
    const payload = behind.startsWith(opener) ? behind.slice(opener.length).trimStart() : undefined;
    if (payload === undefined) return !all && opener.startsWith(behind) ? unsure : undefined;
    if (payload === '' && !all) return unsure;
    return /^[{[]/.test(payload) ? blanks + opener.length : undefined;
  });
  if (length === undefined) return false;
  scan.at += length;
  return true;
}
