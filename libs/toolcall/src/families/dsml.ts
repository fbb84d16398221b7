import type { Dialect } from '../dialect.ts';
import type { SaidType } from './members-out.ts';
import { tagBlock, writeTags } from './tag-block.ts';

const said = (attributes: string): SaidType => {
  const string = /\bstring\s*=\s*["']?(true|false)/i.exec(attributes)?.[1]?.toLowerCase();
  return string === undefined ? undefined : string === 'true' ? 'text' : 'json';
};

/** DeepSeek's DSML: tags that say whether a value is text or JSON. `wrapper` is the name of the tag round the calls. */
export function dsml(name: string, wrapper: string, result: (text: string) => string): Dialect {
  const open = `<｜DSML｜${wrapper}>`;
  const end = `</｜DSML｜${wrapper}>`;
  return tagBlock({
    name,
    wraps: [{ word: open, at: 'anywhere' }],
    unwrapped: [{ word: '<｜DSML｜invoke', at: 'anywhere', rule: 'open-wrapper' }],
    shape: {
      call: '<｜DSML｜invoke',
      callEnd: '</｜DSML｜invoke>',
      param: '<｜DSML｜parameter',
      paramEnd: '</｜DSML｜parameter>',
      style: 'name',
      strip: true,
      said,
      wrapEnds: [end],
    },
    write: (call) =>
      writeTags(
        call,
        (tool) => `${open}\n<｜DSML｜invoke name="${tool}">\n`,
        (key, raw, text) =>
          `<｜DSML｜parameter name="${key}" string="${text}">${/^\r?\n|\r?\n$/.test(raw) ? `\n${raw}\n` : raw}</｜DSML｜parameter>\n`,
        `</｜DSML｜invoke>\n${end}`,
      ),
    result: ({ text }) => result(text),
    rules: [
      'Say string="true" for text and string="false" for numbers, booleans, objects and lists.',
      'Several invokes may stand in one block.',
    ],
  });
}
