import { argKeys, argKeyTags } from '../families/arg-keys.ts';
import { ifmTemplate } from '../families/chat-templates.ts';
import { toolResponse } from '../families/result-format.ts';

/**
 * `<ifm|tool_calls>⏎<ifm|tool_call>NAME⏎<ifm|arg_key>K</ifm|arg_key>⏎<ifm|arg_value>V</ifm|arg_value>⏎</ifm|tool_call>⏎</ifm|tool_calls>`;
 * `<ifm|arg_type>` may be between key and value, or a call may be JSON. Each effort has its own reasoning tags. From
 * the chat template of IFM/K2-Horizon-7B, vLLM's parser `k2_horizon` and llama.cpp's `k2-horizon`.
 */
export const k2Horizon = argKeys({
  name: 'k2-horizon',
  tags: { ...argKeyTags('ifm|'), type: ['<ifm|arg_type>', '</ifm|arg_type>'] },
  block: ['<ifm|tool_calls>', '</ifm|tool_calls>'],
  json: true,
  newline: '\n',
  reasoning: ['think', 'think_fast', 'think_faster'].map((effort) => ({
    open: `<ifm|${effort}>`,
    closes: [`</ifm|${effort}>`],
    at: 'anywhere',
    elsewhere: 'line',
    openedByPrompt: true,
  })),
  result: toolResponse,
  template: ifmTemplate,
});
