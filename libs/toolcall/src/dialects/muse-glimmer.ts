import type { Dialect } from '../dialect.ts';
import { llama4Template } from '../families/chat-templates.ts';
import { toolResponse } from '../families/result-format.ts';
import { renderTags, tagBlock } from '../families/tag-block.ts';
import { findOneOf } from '../find.ts';

const open = '<atem:function_calls>';

const block = tagBlock({
  name: 'muse-glimmer',
  blockOpens: [{ text: open, at: 'anywhere' }],
  shape: {
    callOpen: '<atem:invoke',
    callClose: '</atem:invoke>',
    parameterOpen: '<atem:parameter',
    parameterClose: '</atem:parameter>',
    nameStyle: 'name',
    stripsNewlines: true,
    blockCloses: ['</atem:function_calls>', '<|eom|>', '<|eot|>'],
  },
  renderCall: (call) =>
    renderTags(
      call,
      (name) => `${open}\n<atem:invoke name="${name}">`,
      (key, raw) => `<atem:parameter name="${key}">${/^\r?\n|\r?\n$/.test(raw) ? `\n${raw}\n` : raw}</atem:parameter>`,
      '</atem:invoke>\n</atem:function_calls>',
    ),
  result: toolResponse,
  template: llama4Template,
});

/** ` to=NAME<|message|><atem:function_calls>⏎<atem:invoke name="NAME"><atem:parameter name="KEY">VALUE</atem:parameter></atem:invoke>⏎</atem:function_calls><|eom|>` */
export const museGlimmer: Dialect = {
  ...block,
  openingMarkers: (tools, own) => [
    ...block.openingMarkers(tools, own),
    ...(own ? [{ text: ' to=', at: 'anywhere' as const }] : []),
  ],
  rulesOut: (text, at, openingMarker, tools) =>
    openingMarker.text === open && block.rulesOut?.(text, at, openingMarker, tools) === true,
  *matches(scan, builder) {
    if (builder.openingMarker.text === open) return (yield* scan.afterSpace(1)) === '<';
    return /^[\w.-]+<\|message\|>\s*<atem:function_calls>/.test(yield* scan.ahead(160));
  },
  *parse(scan, builder) {
    if (builder.openingMarker.text !== open) {
      yield* findOneOf(scan, [open]);
      yield* scan.takeText(open);
    }
    return yield* block.parse(scan, builder);
  },
};
