import { argKeys } from '../families/arg-keys.ts';
import { solarOpen2Template } from '../families/chat-templates.ts';
import { resultBetween } from '../families/result-format.ts';

/**
 * `<|tool_call:start|>NAME⏎<|tool_arg:start|>K<|tool_arg:value|>V<|tool_arg:end|>⏎<|tool_call:end|>`. From the parsers
 * `solar_open2` (tools and reasoning) that Upstage contributed to vLLM.
 */
export const solarOpen2 = argKeys({
  name: 'solar-open-2',
  tags: {
    open: '<|tool_call:start|>',
    keyOpen: '<|tool_arg:start|>',
    keyClose: '<|tool_arg:value|>',
    valueOpen: '',
    valueClose: '<|tool_arg:end|>',
    end: '<|tool_call:end|>',
  },
  newline: '\n',
  json: true,
  reasoning: [
    { open: '<|think:start|>', closes: ['<|think:end|>'], at: 'anywhere', elsewhere: 'line', openedByPrompt: true },
  ],
  result: resultBetween('<|tool_response:start|>', '<|tool_response:end|>'),
  template: solarOpen2Template,
});
