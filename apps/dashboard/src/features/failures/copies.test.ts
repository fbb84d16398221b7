import type { TurnDetail } from '@callsmith/contracts';
import { expect, it } from 'vitest';
import { curlOf, parseCasesOf } from './copies.ts';

/** The words of a command as a shell reads them: what stands in single quotes, as it stands there. */
const wordsOf = (command: string) =>
  Array.from(command.matchAll(/(?:'[^']*'|\\'|"[^"]*"|[^\s'"\\])+/g), ([word]) =>
    word.replaceAll(/'([^']*)'|\\(')|"([^"]*)"/g, '$1$2$3'),
  );

it('the command for curl has the request to the byte, whatever stands in it', () => {
  const request = `{"messages":[{"role":"user","content":"it's $HOME \\"quoted\\" \`id\` \\\\n"}]}\n'; exit 1; '`;
  const words = wordsOf(curlOf('https://gateway.example', '/v1/chat/completions', request));
  expect(words.slice(0, 2)).toEqual(['curl', 'https://gateway.example/v1/chat/completions']);
  expect(words).toContain('Authorization: Bearer $CALLSMITH_API_KEY');
  expect(words.at(-1)).toBe(request);
});

const detail = (body: object) =>
  ({ turn: { id: 'turn_1', dialect: 'hermes' }, body }) as unknown as {
    turn: TurnDetail['turn'];
    body: NonNullable<TurnDetail['body']>;
  };

it('a test case for parse has the text, the tools in any API and the reason', () => {
  const tool = { name: 'read_file', parameters: { type: 'object' } };
  const raw = [{ choice: 0, text: '<tool_call>{"na', reasoning: '', cuts: [], fragments: [] }];
  const asAnthropic = { tools: [{ name: 'read_file', input_schema: { type: 'object' } }] };
  for (const request of [{ tools: [tool] }, asAnthropic])
    expect(
      JSON.parse(
        parseCasesOf(detail({ raw, clientRequest: JSON.stringify(request), delivered: [{ reason: 'length' }] })),
      ),
    ).toEqual({ id: 'turn_1', text: raw[0]!.text, tools: [tool], dialect: 'hermes', finish_reason: 'length' });
});

it('several choices are several lines, and what is missing is left out', () => {
  const raw = [0, 1].map((choice) => ({ choice, text: `t${choice}`, reasoning: '', cuts: [], fragments: [] }));
  const lines = parseCasesOf(detail({ raw, clientRequest: '{"cut', delivered: null })).split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { id: 'turn_1-0', text: 't0', dialect: 'hermes' },
    { id: 'turn_1-1', text: 't1', dialect: 'hermes' },
  ]);
});
