import { gemma } from '../families/gemma.ts';

/** `<|tool_call>call:NAME{k:<|"|>text<|"|>,n:20,l:[<|"|>a<|"|>]}<tool_call|>`; stripped: `call:NAME{k:text,n:20}` */
export const gemma4 = gemma({
  name: 'gemma4',
  open: '<|tool_call>',
  close: '<tool_call|>',
  quote: '<|"|>',
  codeFences: ['```tool_code'],
  // the opening token is missing after a tool's result, so the text begins with the bare word
  reasoning: [
    { open: '<|channel>thought', closes: ['<channel|>'], at: 'anywhere', elsewhere: 'anywhere' },
    { open: 'thought\n', closes: ['<channel|>'], at: 'answer' },
  ],
  result: {
    renderResult: ({ name, text }) => `<|tool_response>response:${name}{value:<|"|>${text}<|"|>}<tool_response|>`,
    resultMarkers: [{ text: '<|tool_response>', at: 'anywhere' }],
    resultEnds: ['<tool_response|>'],
  },
});
