import type { Dialect } from '../dialect.ts';
import { functionaryV2Template } from '../families/chat-templates.ts';
import { parseNamedArguments } from '../families/named-arguments.ts';
import { argumentsJson, example, several, toolPrompt } from '../families/tool-prompt.ts';
import { ParseFailure, type Scanner, type Step, unsure } from '../scanner.ts';

const content = '<|content|>';

/** `NAME⏎<|content|>`: the recipient, if one is here; consumes nothing. */
const recipientAhead = (scan: Scanner): Step<string | undefined> =>
  scan.look(160, (ahead, all) => {
    const [, name, behind] = /^([\w.:-]*)\s*([\s\S]*)$/.exec(ahead) ?? [];
    if (behind?.startsWith(content)) return name === '' ? undefined : name;
    return !all && content.startsWith(behind ?? '') ? unsure : undefined;
  });

/**
 * `<|from|>assistant⏎<|recipient|>NAME⏎<|content|>{…}`, separated by newlines; text has the recipient `all`. The
 * prompt ends with `<|recipient|>`, so that an answer begins with the name. From MeetKai's `PromptTemplateV2`
 * (v2.0 to v2.4).
 */
export const functionaryV2: Dialect = {
  name: 'functionary-v2',
  openingMarkers: (_tools, own) => [
    { text: '<|from|>assistant\n<|recipient|>', at: 'anywhere' },
    { text: '<|recipient|>', at: 'anywhere' },
    ...(own ? [{ text: '', at: 'answer' as const }] : []),
  ],
  *matches(scan) {
    return (yield* recipientAhead(scan)) !== undefined;
  },
  *parse(scan, builder) {
    const name = yield* recipientAhead(scan);
    if (name === undefined) throw new ParseFailure('not-a-call');
    scan.at += name.length;
    yield* scan.space();
    yield* scan.takeText(content);
    if (name === 'all') return 'frame';
    yield* parseNamedArguments(scan, builder, name, ['<|from|>', '<|recipient|>', '<|stop|>'], []);
  },
  renderToolPrompt: (tools, shape) =>
    toolPrompt(tools, shape, functionaryV2.renderCall(example), [
      'Text for the user stands behind the recipient all, before the calls.',
      several('For several calls repeat all three lines.'),
    ]),
  renderCall: (call) => `<|from|>assistant\n<|recipient|>${call.name}\n${content}${argumentsJson(call)}`,
  template: functionaryV2Template,
  renderResult: ({ name, text }) => `<|from|>${name}\n<|recipient|>all\n${content}${text}`,
  resultMarkers: [{ text: '<|from|>', at: 'anywhere', behind: /^(?!assistant\b)[\w.:-]+\s*<\|recipient\|>/ }],
  fence: (tool) => ({
    trigger: '<|from|>assistant\n<|recipient|>',
    begin: `<|from|>assistant\n<|recipient|>${tool.name}\n${content}`,
    end: '',
    style: 'json',
  }),
};
