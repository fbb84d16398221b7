import type { ReasoningBlock } from '../dialect.ts';

/** `<think>…</think>`: DeepSeek, Qwen, GLM and most others; their templates often write the opening tag. */
export const thinkBlock: ReasoningBlock = {
  open: '<think>',
  closes: ['</think>'],
  at: 'line',
  elsewhere: 'line',
  openedByPrompt: true,
};

/** `[THINK]…[/THINK]`: Mistral */
export const mistralReasoning: ReasoningBlock = {
  open: '[THINK]',
  closes: ['[/THINK]'],
  at: 'anywhere',
  elsewhere: 'line',
  openedByPrompt: true,
};
