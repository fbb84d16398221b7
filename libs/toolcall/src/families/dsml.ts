import type { Dialect, OpeningMarker, ResultFormat } from '../dialect.ts';
import type { DeclaredType } from './arguments-writer.ts';
import { deepseekTemplate } from './chat-templates.ts';
import { thinkBlock } from './reasoning.ts';
import { renderTags, tagBlock } from './tag-block.ts';

const declaredType = (attributes: string): DeclaredType => {
  const string = /\bstring\s*=\s*["']?(true|false)/i.exec(attributes)?.[1]?.toLowerCase();
  return string === undefined ? undefined : string === 'true' ? 'text' : 'json';
};

/** DeepSeek's DSML: tags that tell whether a value is text or JSON. `wrapper` is the name of the tag round the calls. Quantized models write ASCII bars. */
export function dsml(name: string, wrapper: string, result: ResultFormat): Dialect {
  const usual = barred('｜', name, wrapper, result);
  const ascii = barred('|', name, wrapper, result);
  const by = (marker: OpeningMarker): Dialect => (marker.text.includes('｜') ? usual : ascii);
  return {
    ...usual,
    openingMarkers: (tools, own) => [
      ...usual.openingMarkers(tools, own),
      ...ascii.openingMarkers(tools, own).map(({ text, at }) => ({ text, at, rule: 'ascii-marker' as const })),
    ],
    closingMarkers: (tools) => [usual, ascii].flatMap((one) => one.closingMarkers?.(tools) ?? []),
    innerMarkers: [usual, ascii].flatMap((one) => one.innerMarkers ?? []),
    rulesOut: (text, at, openingMarker, tools) => by(openingMarker).rulesOut?.(text, at, openingMarker, tools) === true,
    *matches(scan, builder) {
      const { matches } = by(builder.openingMarker);
      return matches ? yield* matches(scan, builder) : true;
    },
    *parse(scan, builder) {
      return yield* by(builder.openingMarker).parse(scan, builder);
    },
  };
}

function barred(bar: string, name: string, wrapper: string, result: ResultFormat): Dialect {
  const dsmlTag = `${bar}DSML${bar}`;
  const open = `<${dsmlTag}${wrapper}>`;
  const end = `</${dsmlTag}${wrapper}>`;
  return tagBlock({
    name,
    blockOpens: [{ text: open, at: 'anywhere' }],
    callOpens: [{ text: `<${dsmlTag}invoke`, at: 'anywhere', rule: 'open-wrapper' }],
    shape: {
      callOpen: `<${dsmlTag}invoke`,
      callClose: `</${dsmlTag}invoke>`,
      parameterOpen: `<${dsmlTag}parameter`,
      parameterClose: `</${dsmlTag}parameter>`,
      nameStyle: 'name',
      stripsNewlines: true,
      declaredType,
      blockCloses: [end],
    },
    renderCall: (call) =>
      renderTags(
        call,
        (tool) => `${open}\n<${dsmlTag}invoke name="${tool}">\n`,
        (key, raw, text) =>
          `<${dsmlTag}parameter name="${key}" string="${text}">${/^\r?\n|\r?\n$/.test(raw) ? `\n${raw}\n` : raw}</${dsmlTag}parameter>\n`,
        `</${dsmlTag}invoke>\n${end}`,
      ),
    result,
    reasoning: [thinkBlock],
    template: deepseekTemplate,
    innerMarkers: [`<${dsmlTag}`, `</${dsmlTag}`],
    rules: [
      'Say string="true" for text and string="false" for numbers, booleans, objects and lists.',
      'Several invokes may stand in one block.',
    ],
  });
}
