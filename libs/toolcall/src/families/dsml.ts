import type { Dialect, Opener } from '../dialect.ts';
import type { SaidType } from './members-out.ts';
import { tagBlock, writeTags } from './tag-block.ts';

const said = (attributes: string): SaidType => {
  const string = /\bstring\s*=\s*["']?(true|false)/i.exec(attributes)?.[1]?.toLowerCase();
  return string === undefined ? undefined : string === 'true' ? 'text' : 'json';
};

/** DeepSeek's DSML: tags that say whether a value is text or JSON. `wrapper` is the name of the tag round the calls. Quantised models write ASCII bars. */
export function dsml(name: string, wrapper: string, result: (text: string) => string): Dialect {
  const usual = barred('｜', name, wrapper, result);
  const ascii = barred('|', name, wrapper, result);
  const by = (opener: Opener): Dialect => (opener.word.includes('｜') ? usual : ascii);
  return {
    ...usual,
    opens: (tools, own) => [
      ...usual.opens(tools, own),
      ...ascii.opens(tools, own).map(({ word, at }) => ({ word, at, rule: 'ascii-marker' as const })),
    ],
    *fits(scan, hear) {
      const { fits } = by(hear.opener);
      return fits ? yield* fits(scan, hear) : true;
    },
    *read(scan, hear) {
      yield* by(hear.opener).read(scan, hear);
    },
  };
}

function barred(bar: string, name: string, wrapper: string, result: (text: string) => string): Dialect {
  const dsmlTag = `${bar}DSML${bar}`;
  const open = `<${dsmlTag}${wrapper}>`;
  const end = `</${dsmlTag}${wrapper}>`;
  return tagBlock({
    name,
    wraps: [{ word: open, at: 'anywhere' }],
    unwrapped: [{ word: `<${dsmlTag}invoke`, at: 'anywhere', rule: 'open-wrapper' }],
    shape: {
      call: `<${dsmlTag}invoke`,
      callEnd: `</${dsmlTag}invoke>`,
      param: `<${dsmlTag}parameter`,
      paramEnd: `</${dsmlTag}parameter>`,
      style: 'name',
      strip: true,
      said,
      wrapEnds: [end],
    },
    write: (call) =>
      writeTags(
        call,
        (tool) => `${open}\n<${dsmlTag}invoke name="${tool}">\n`,
        (key, raw, text) =>
          `<${dsmlTag}parameter name="${key}" string="${text}">${/^\r?\n|\r?\n$/.test(raw) ? `\n${raw}\n` : raw}</${dsmlTag}parameter>\n`,
        `</${dsmlTag}invoke>\n${end}`,
      ),
    result: ({ text }) => result(text),
    rules: [
      'Say string="true" for text and string="false" for numbers, booleans, objects and lists.',
      'Several invokes may stand in one block.',
    ],
  });
}
