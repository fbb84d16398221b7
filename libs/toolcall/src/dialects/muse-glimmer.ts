import type { Dialect, ReasoningBlock } from '../dialect.ts';
import { llama4Template } from '../families/chat-templates.ts';
import { parseNamedArguments } from '../families/named-arguments.ts';
import { toolResponse } from '../families/result-format.ts';
import { tagBlock } from '../families/tag-block.ts';
import { invokeTags } from '../families/tags.ts';
import { findOneOf } from '../find.ts';

const open = '<atem:function_calls>';
const close = '</atem:function_calls>';

const block = tagBlock({
  name: 'muse-glimmer',
  blockOpens: [{ text: open, at: 'anywhere' }],
  shape: invokeTags('atem:', [close, '<|eom|>', '<|eot|>']),
  writes: { before: `${open}\n`, behind: `\n${close}`, newline: '' },
  result: toolResponse,
  template: llama4Template,
});

const starts = '<|start|>assistant';
const ends = ['<|eom|>', '<|eot|>'];
/** The rest of a message's header before its text; the recipient is optional. */
const header = /^\s*(?:to=)?([\w.-]*)\s*<\|message\|>/;
/** A message without a recipient is for the user. */
const isForUser = (recipient: string): boolean => ['', 'user', 'all'].includes(recipient);
/** A message to `self` is reasoning. */
const reasoning: ReasoningBlock = { open: '', closes: ends, endsBefore: ['<|start|>'], at: 'anywhere' };

/**
 * `<|start|>assistant to=NAME<|message|><atem:function_calls>⏎<atem:invoke name="NAME"><atem:parameter name="KEY">VALUE</atem:parameter></atem:invoke>⏎</atem:function_calls><|eom|>`.
 * The template may have written the message's beginning; `to=self` is reasoning, `to=user` or no recipient the answer.
 */
export const museGlimmer: Dialect = {
  ...block,
  openingMarkers: (tools, own) => [
    ...block.openingMarkers(tools, own),
    { text: starts, at: 'anywhere' },
    ...(own
      ? [
          { text: ' to=', at: 'anywhere' as const },
          { text: 'to=', at: 'answer' as const },
        ]
      : []),
  ],
  frames: [
    { text: '<|eom|>', at: 'anywhere' },
    { text: '<|message|>', at: 'answer' },
  ],
  rulesOut: (text, at, openingMarker, tools) =>
    openingMarker.text === open && block.rulesOut?.(text, at, openingMarker, tools) === true,
  *matches(scan, builder) {
    if (builder.openingMarker.text === open) return (yield* scan.afterSpace(1)) === '<';
    const ahead = yield* scan.ahead(200);
    const head = header.exec(ahead);
    if (!head) return false;
    return builder.own || head[1] === 'self' || ahead.slice(head[0].length).trimStart().startsWith(open);
  },
  *parse(scan, builder) {
    if (builder.openingMarker.text === open) return yield* block.parse(scan, builder);
    const [head, recipient = ''] = header.exec(yield* scan.ahead(200)) ?? [''];
    scan.at += head.length;
    if (recipient === 'self') return reasoning;
    if (isForUser(recipient)) return 'frame';
    if ((yield* scan.afterSpace(1)) !== '<') {
      yield* parseNamedArguments(scan, builder, recipient, [...ends, '<|start|>'], []);
      return;
    }
    yield* findOneOf(scan, [open]);
    yield* scan.takeText(open);
    return yield* block.parse(scan, builder);
  },
};
