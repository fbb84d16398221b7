import { openaiErrorWith } from '../openai-error.ts';

/** An error before anything was sent. */
export const errorResponse = openaiErrorWith(
  new Map([
    ['messages', 'input'],
    ['input', 'input'],
    ['max_tokens', 'max_output_tokens'],
    ['max_completion_tokens', 'max_output_tokens'],
    ['response_format', 'text.format'],
    ['verbosity', 'text.verbosity'],
    ['reasoning_effort', 'reasoning.effort'],
  ]),
);
