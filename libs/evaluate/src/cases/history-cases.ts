import type { JsonObject } from '@callsmith/turn';
import type { Nonces } from './nonces.ts';
import type { ExpectedCall, ProbeCase } from './probe-case.ts';
import { expectCalls, probeCase, question, readCall, userMessage, weatherCall } from './question.ts';

/** Cases with earlier calls and results. */
export const historyCases = (nonces: Nonces): readonly ProbeCase[] => [
  probeCase(16, 'A result is used', {}, () => {
    const [city, station] = [nonces.name(), nonces.word()];
    const prompt = `What is the weather in ${city}? Use celsius, and name the station.`;
    return question(
      prompt,
      { kind: 'text', holds: [station] },
      {
        history: called(
          nonces,
          weatherCall(city),
          `{"temperature": ${nonces.number(-9, 30)}, "station": "${station}"}`,
        ),
      },
    );
  }),
  probeCase(17, 'A failed call is corrected', {}, () => {
    const word = nonces.word();
    const wrong = readCall(`notes/${word}.txt`);
    return question(`Read the file notes/${word}.txt.`, expectCalls(readCall(`notes/${word}.md`)), {
      history: called(nonces, wrong, `Error: no such file: notes/${word}.txt. Did you mean "notes/${word}.md"?`),
    });
  }),
  probeCase(19, 'After three calls', {}, () => {
    const paths = [1, 2, 3, 4].map(() => `notes/${nonces.word()}.txt`);
    const [last = '', ...before] = paths;
    const history = before.flatMap((path) => [
      userMessage(`Read the file ${path}.`),
      ...called(nonces, readCall(path), `It says ${nonces.word()}.`),
      { role: 'assistant', content: 'I have read it.' },
    ]);
    return question(`Read the file ${last}.`, expectCalls(readCall(last)), { before: history });
  }),
];

/** A past call and its result. */
function called(nonces: Nonces, { name, arguments: args }: ExpectedCall, result: string): JsonObject[] {
  const id = `call_${nonces.word()}`;
  const call = { id, type: 'function', function: { name, arguments: JSON.stringify(args) } };
  return [
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: id, content: result },
  ];
}
