import { expect, it } from 'vitest';
import { curlOf, parseCasesOf } from './copies.ts';

/** The words of a command as a shell parses them: what is in single quotes, unchanged. */
const wordsOf = (command: string) =>
  Array.from(command.matchAll(/(?:'[^']*'|\\'|"[^"]*"|[^\s'"\\])+/g), ([word]) =>
    word.replaceAll(/'([^']*)'|\\(')|"([^"]*)"/g, '$1$2$3'),
  );

it('the command for curl has the request to the byte, whatever it holds', () => {
  const request = `{"messages":[{"role":"user","content":"it's $HOME \\"quoted\\" \`id\` \\\\n"}]}\n'; exit 1; '`;
  const words = wordsOf(curlOf('https://gateway.example', '/v1/chat/completions', request));
  expect(words.slice(0, 2)).toEqual(['curl', 'https://gateway.example/v1/chat/completions']);
  expect(words).toContain('Authorization: Bearer $CALLSMITH_API_KEY');
  expect(words.at(-1)).toBe(request);
});

it('a test case is a line for each choice', () => {
  const raw = [0, 1].map((choice) => ({ choice, text: `t${choice}`, reasoning: '', fragments: [] }));
  const turn = { id: 'turn_1', model: 'qwen', dialect: 'hermes' };
  const lines = parseCasesOf({ turn, body: { raw, clientRequest: null, delivered: null } }).split('\n');
  expect(lines.map((line) => JSON.parse(line).text)).toEqual(['t0', 't1']);
});
