import { expect, it } from 'vitest';
import { lessonText } from './lesson-text.ts';

it.each([
  ['native-tools', 'false', 'does not support native tool calls'],
  ['parameter:seed', 'false', 'rejects the parameter seed'],
  ['example-calls', 'true', 'does better with example calls in its prompt'],
  ['reasoning-prefilled', 'true', 'opens the reasoning block in the prompt'],
  ['marked-calls', 'true', 'marks its tool calls, so unmarked ones count only before any other text'],
  ['constraint:structured_outputs', 'true', 'enforces the constraint structured_outputs'],
  ['constraint:strict', 'false', 'does not enforce the constraint strict'],
  ['api', 'responses', 'is asked by responses'],
  ['retreat:inline-as-user', 'true', 'is sent later system messages as user text'],
  ['retreat:one-system', 'true', 'is sent one system message'],
  ['retreat:simple-schemas:0a1b2c3d4e5f', 'true', 'is sent simplified schemas, with the tools of that request'],
  ['retreat:later', 'true', 'is sent requests in another form (later)'],
  ['of a later version', '7', 'of a later version: 7'],
])('says %s = %s in words', (what, value, words) => {
  expect(lessonText({ what, value })).toBe(words);
});
