import type { Nonces } from './nonces.ts';
import type { ProbeCase } from './probe-case.ts';
import { expectCalls, probeCase, question, readCall, weatherCall } from './question.ts';
import { furtherTools, lookAlikeTools, sevenTools } from './tools.ts';

/** Cases in which a call is expected: which one, how many, and whether it is made when required. */
export const callCases = (nonces: Nonces): readonly ProbeCase[] => [
  probeCase(1, 'One call', { streamed: true }, () => {
    const city = nonces.name();
    return question(`What is the weather in ${city}? Use celsius.`, expectCalls(weatherCall(city)));
  }),
  probeCase(2, 'A call without arguments', {}, () =>
    question('What time is it now?', expectCalls({ name: 'now', arguments: {} })),
  ),
  probeCase(3, 'One of five look-alikes', {}, () => {
    const query = nonces.word();
    return question(`Search the issues for "${query}".`, expectCalls({ name: 'search_issues', arguments: { query } }), {
      tools: lookAlikeTools,
    });
  }),
  probeCase(4, 'Three calls at once', { streamed: true }, () => {
    const cities = [nonces.name(), nonces.name(), nonces.name()];
    return question(
      `What is the weather in ${cities[0]}, ${cities[1]} and ${cities[2]}? Use celsius. Call the tool three times in this one answer, once for each city.`,
      expectCalls(...cities.map(weatherCall)),
    );
  }),
  probeCase(14, 'A named tool', {}, () => {
    const path = `notes/${nonces.word()}.txt`;
    return question(`Read the file ${path}.`, expectCalls(readCall(path)), {
      tool_choice: { type: 'function', function: { name: 'read' } },
    });
  }),
  probeCase(15, 'A call is required', {}, () =>
    question(`Tell me about ${nonces.name()}.`, { kind: 'any-call' }, { tool_choice: 'required' }),
  ),
  probeCase(18, 'Thirty tools', {}, () => {
    const subject = nonces.name();
    return question(`What is the tide at ${subject}?`, expectCalls({ name: 'tide', arguments: { subject } }), {
      tools: [...sevenTools, ...furtherTools],
    });
  }),
];
