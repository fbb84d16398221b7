import type { Dialect } from '../dialect.ts';
import { deepseekTemplate } from '../families/chat-templates.ts';
import { callBegin, callEnd, sectionBegin, sectionEnd, separator } from '../families/deepseek.ts';
import { offeredNameAhead, parseNamedArguments } from '../families/named-arguments.ts';
import { thinkBlock } from '../families/reasoning.ts';
import { argumentsJson, example, several, toolPrompt } from '../families/tool-prompt.ts';
import { outputMarkers, parseSection, sectionClosers, sectionMatches, sectionOpenings } from './deepseek-v3-r1.ts';

/** `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>NAME<｜tool▁sep｜>{…}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`; stripped: `NAME{…}NAME{…}` */
export const deepseekV31: Dialect = {
  name: 'deepseek-v3.1',
  openingMarkers: () => [...sectionOpenings, { text: '', at: 'answer', rule: 'restore-markers', ambiguous: true }],
  *matches(scan, builder) {
    if (builder.openingMarker.text === '') return (yield* offeredNameAhead(scan, builder, /^\{/)) !== undefined;
    return yield* sectionMatches(scan, builder);
  },
  *parse(scan, builder) {
    if (builder.openingMarker.text !== '') return yield* parseSection(scan, builder);
    for (;;) {
      const name = yield* offeredNameAhead(scan, builder, /^\{/);
      if (name === undefined) return;
      const from = scan.offset;
      scan.at += name.length;
      yield* parseNamedArguments(scan, builder, name, []);
      builder.setRange(from);
    }
  },
  renderToolPrompt: (tools, shape) =>
    toolPrompt(tools, shape, deepseekV31.renderCall(example), [
      several('Several calls stand in one section, one behind the other.'),
    ]),
  renderCall: (call) =>
    `${sectionBegin}${callBegin}${call.name}${separator}${argumentsJson(call)}${callEnd}${sectionEnd}`,
  reasoning: [thinkBlock],
  template: deepseekTemplate,
  closingMarkers: () => sectionClosers,
  innerMarkers: [separator],
  renderResult: ({ text }) => `<｜tool▁output▁begin｜>${text}<｜tool▁output▁end｜>`,
  resultMarkers: outputMarkers,
  resultEnds: ['<｜tool▁output▁end｜>', '<｜tool▁outputs▁end｜>'],
  fence: (tool) => ({
    trigger: sectionBegin,
    begin: `${sectionBegin}${callBegin}${tool.name}${separator}`,
    end: `${callEnd}${sectionEnd}`,
    style: 'json',
  }),
};
