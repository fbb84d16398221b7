import { renderTags, tagBlock } from '../families/tag-block.ts';
import { anthropicStyle } from './anthropic-style.ts';

const prefix = 'antml:';

/** The tags of `anthropic-style` with a namespace before their names, as models imitate newer prompts of Claude. */
export const anthropicPrefixed = tagBlock({
  name: 'anthropic-prefixed',
  blockOpens: [
    { text: `<${prefix}function_calls>`, at: 'anywhere' },
    { text: '<function_calls>', at: 'anywhere' },
  ],
  callOpens: [{ text: `<${prefix}invoke`, at: 'line', rule: 'open-wrapper' }],
  shape: {
    callOpen: `<${prefix}invoke`,
    callClose: `</${prefix}invoke>`,
    parameterOpen: `<${prefix}parameter`,
    parameterClose: `</${prefix}parameter>`,
    nameStyle: 'name',
    stripsNewlines: true,
    blockCloses: [`</${prefix}function_calls>`, '</function_calls>'],
  },
  renderCall: (call) =>
    renderTags(
      call,
      (name) => `<${prefix}function_calls>\n<${prefix}invoke name="${name}">\n`,
      (key, raw) =>
        `<${prefix}parameter name="${key}">${/^\r?\n|\r?\n$/.test(raw) ? `\n${raw}\n` : raw}</${prefix}parameter>\n`,
      `</${prefix}invoke>\n</${prefix}function_calls>`,
    ),
  result: {
    renderResult: anthropicStyle.renderResult,
    resultMarkers: anthropicStyle.resultMarkers,
    ...(anthropicStyle.resultEnds && { resultEnds: anthropicStyle.resultEnds }),
  },
});
