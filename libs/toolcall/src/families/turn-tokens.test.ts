import { describe, expect, it } from 'vitest';
import { dialects } from '../dialects/index.ts';
import { chatTemplates } from './chat-templates.ts';
import { turnEndsAt } from './turn-tokens.ts';

it('every template of a dialect is among all templates', () => {
  for (const { template } of dialects) if (template) expect(chatTemplates).toContain(template);
});

describe('a turn ends', () => {
  it.each([
    ['<|im_end|>', true, true],
    ['<|im_end|>\n<|endoftext|>\n', true, true],
    ['<|user|>', false, true],
    ['<|user|>Thanks.', false, true],
    ['<|observation|><|user|>Thanks.', false, true],
    ['<|im_end|> is a token', false, false],
    ['<|im_end|><|im_end|><|im_end|><|im_end|>', false, false],
    ['<|im_e', false, false],
    ['</a>', false, false],
    ['', false, false],
  ])('%j', (text, alone, orNext) => {
    expect([turnEndsAt(text, 0, true, false), turnEndsAt(text, 0, true, true)]).toEqual([alone, orNext]);
    for (let length = 1; length < text.length; length++) {
      const early = turnEndsAt(text.slice(0, length), 0, false, true);
      expect(early === undefined || early === orNext, text.slice(0, length)).toBe(true);
    }
  });
});
