import type { Nonces } from './nonces.ts';
import type { ProbeCase } from './probe-case.ts';
import { probeCase, question } from './question.ts';

/** Cases in which text is expected, and no call. */
export const textCases = (nonces: Nonces): readonly ProbeCase[] => [
  probeCase(11, 'Thanks', {}, () => question('Thanks, that was all I wanted.', { kind: 'text', holds: [] })),
  probeCase(12, 'An argument is missing', {}, () =>
    question('What is the weather like there? I forgot to say where; ask me for the city instead of guessing.', {
      kind: 'text',
      holds: [],
      asks: true,
    }),
  ),
  probeCase(13, 'No tool fits', {}, () =>
    question(`Book a table for two at the restaurant ${nonces.name()} tonight.`, { kind: 'text', holds: [] }),
  ),
  probeCase(20, 'A tag is explained', {}, () => {
    const word = nonces.word();
    return question(`Explain to me what the tag <tool_call> is for, and end with the word ${word}.`, {
      kind: 'text',
      holds: ['<tool_call>', word],
    });
  }),
];
