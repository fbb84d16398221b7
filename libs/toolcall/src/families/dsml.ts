import type { ChatTemplate, Dialect, OpeningMarker, ResultFormat } from '../dialect.ts';
import type { DeclaredType } from './arguments-writer.ts';
import { deepseekTemplate } from './chat-templates.ts';
import { thinkBlock } from './reasoning.ts';
import { tagBlock } from './tag-block.ts';
import { invokeTags } from './tags.ts';
import { several } from './tool-prompt.ts';

const declaredType = (attributes: string): DeclaredType => {
  const string = /\bstring\s*=\s*["']?(true|false)/i.exec(attributes)?.[1]?.toLowerCase();
  return string === undefined ? undefined : string === 'true' ? 'text' : 'json';
};

/** A dialect whose tags declare whether a value is text or JSON. */
export interface Dsml {
  readonly name: string;
  /** The word between the bars. */
  readonly word: 'DSML' | 'GCML';
  /** Space after the bars in every tag. */
  readonly space?: string;
  /** The name of the tag around the calls. */
  readonly wrapper: string;
  readonly result: ResultFormat;
  readonly template?: ChatTemplate;
}

/** Makes a dialect of DeepSeek's DSML and its derivatives. Quantized models write ASCII bars. */
export function dsml(of: Dsml): Dialect {
  const usual = barred('｜', of);
  const ascii = barred('|', of);
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

function barred(bar: string, { name, word, space = '', wrapper, result, template = deepseekTemplate }: Dsml): Dialect {
  const dsmlTag = `${bar}${word}${bar}${space}`;
  const open = `<${dsmlTag}${wrapper}>`;
  const end = `</${dsmlTag}${wrapper}>`;
  return tagBlock({
    name,
    blockOpens: [{ text: open, at: 'anywhere' }],
    callOpens: [{ text: `<${dsmlTag}invoke`, at: 'anywhere', rule: 'open-wrapper' }],
    shape: { ...invokeTags(dsmlTag, [end]), declaredType },
    writes: { before: `${open}\n`, behind: `\n${end}`, attribute: (text) => ` string="${text}"` },
    result,
    // Engines have a grammar for DeepSeek's own tags; with its derivatives' tags the arguments are JSON.
    ...(word === 'DSML' && space === '' && { style: 'deepseek_xml' as const }),
    reasoning: [thinkBlock],
    template,
    innerMarkers: [`<${dsmlTag}`, `</${dsmlTag}`],
    rules: [
      'Say string="true" for text and string="false" for numbers, booleans, objects and lists.',
      several('Several invokes may stand in one block.'),
    ],
  });
}
