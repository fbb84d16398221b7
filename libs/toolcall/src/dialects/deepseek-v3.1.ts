import type { Dialect } from '../dialect.ts';
import { begin, end, section, sectionEnd, separator } from '../families/deepseek.ts';
import { offeredAhead, readNamed } from '../families/named-arguments.ts';
import { argumentsJson, example, lesson } from '../families/teach.ts';
import { readSection, sectionFits, sectionOpeners } from './deepseek-v3-r1.ts';

/** `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>NAME<｜tool▁sep｜>{…}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`; stripped: `NAME{…}NAME{…}` */
export const deepseekV31: Dialect = {
  name: 'deepseek-v3.1',
  opens: () => [...sectionOpeners, { word: '', at: 'answer', rule: 'restore-markers', plain: true }],
  *fits(scan, hear) {
    if (hear.opener.word === '') return (yield* offeredAhead(scan, hear, /^\{/)) !== undefined;
    return yield* sectionFits(scan, hear);
  },
  *read(scan, hear) {
    if (hear.opener.word !== '') return yield* readSection(scan, hear);
    for (;;) {
      const name = yield* offeredAhead(scan, hear, /^\{/);
      if (name === undefined) return;
      const from = scan.offset;
      scan.at += name.length;
      yield* readNamed(scan, hear, name, []);
      hear.stands(from);
    }
  },
  teach: (tools, choice) =>
    lesson(tools, choice, deepseekV31.write(example), ['Several calls stand in one section, one behind the other.']),
  write: (call) => `${section}${begin}${call.name}${separator}${argumentsJson(call)}${end}${sectionEnd}`,
  writeResult: ({ text }) => `<｜tool▁output▁begin｜>${text}<｜tool▁output▁end｜>`,
  fence: (tool) => ({
    trigger: section,
    begin: `${section}${begin}${tool.name}${separator}`,
    end: `${end}${sectionEnd}`,
  }),
};
