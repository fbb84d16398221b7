import type { Dialect } from '../dialect.ts';
import { deepseekTemplate } from '../families/chat-templates.ts';
import { begin, end, section, sectionEnd, separator } from '../families/deepseek.ts';
import { offeredAhead, parseNamedArguments } from '../families/named-arguments.ts';
import { thinkBlock } from '../families/reasoning.ts';
import { argumentsJson, example, toolPrompt } from '../families/tool-prompt.ts';
import { outputMarkers, readSection, sectionClosers, sectionFits, sectionOpeners } from './deepseek-v3-r1.ts';

/** `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>NAME<｜tool▁sep｜>{…}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`; stripped: `NAME{…}NAME{…}` */
export const deepseekV31: Dialect = {
  name: 'deepseek-v3.1',
  openingMarkers: () => [...sectionOpeners, { text: '', at: 'answer', rule: 'restore-markers', ambiguous: true }],
  *matches(scan, builder) {
    if (builder.opener.text === '') return (yield* offeredAhead(scan, builder, /^\{/)) !== undefined;
    return yield* sectionFits(scan, builder);
  },
  *parse(scan, builder) {
    if (builder.opener.text !== '') return yield* readSection(scan, builder);
    for (;;) {
      const name = yield* offeredAhead(scan, builder, /^\{/);
      if (name === undefined) return;
      const from = scan.offset;
      scan.at += name.length;
      yield* parseNamedArguments(scan, builder, name, []);
      builder.setRange(from);
    }
  },
  renderToolPrompt: (tools, choice) =>
    toolPrompt(tools, choice, deepseekV31.renderCall(example), [
      'Several calls stand in one section, one behind the other.',
    ]),
  renderCall: (call) => `${section}${begin}${call.name}${separator}${argumentsJson(call)}${end}${sectionEnd}`,
  reasoning: [thinkBlock],
  template: deepseekTemplate,
  closingMarkers: () => sectionClosers,
  innerMarkers: [separator],
  renderResult: ({ text }) => `<｜tool▁output▁begin｜>${text}<｜tool▁output▁end｜>`,
  resultMarkers: outputMarkers,
  resultEnds: ['<｜tool▁output▁end｜>', '<｜tool▁outputs▁end｜>'],
  fence: (tool) => ({
    trigger: section,
    begin: `${section}${begin}${tool.name}${separator}`,
    end: `${end}${sectionEnd}`,
  }),
};
