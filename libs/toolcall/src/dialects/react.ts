import { parseJson, type Tool } from '@callsmith/turn';
import type { Dialect } from '../dialect.ts';
import { quoted } from '../escape.ts';
import { readArguments } from '../families/arguments.ts';
import { isOffered } from '../families/json-calls.ts';
import { dropClosers } from '../families/named-arguments.ts';
import { argumentsJson, example, lesson } from '../families/teach.ts';
import { findOneOf } from '../find.ts';
import { readLoose } from '../read-loose.ts';

const ends = ['\nObservation', '\nThought:', '\nAction:', '\nFinal Answer:'];

/** `Thought: …⏎Action: NAME⏎Action Input: {…}⏎Observation:`, the agents' prompts since LangChain; the input may be plain text */
export const react: Dialect = {
  name: 'react',
  plain: true,
  opens: () => [{ word: 'Action:', at: 'line' }],
  reasoning: [{ open: 'Thought:', closes: ['\nFinal Answer:'], before: ['\nAction:'], at: 'line' }],
  frames: ['Final Answer:'],
  *fits(scan, hear) {
    const head = /^[ \t]*["'`]?([\w.-]+)["'`]?[ \t]*\r?\n\s*Action Input:/.exec(yield* scan.ahead(160));
    return head !== null && isOffered(hear, head[1] as string);
  },
  *read(scan, hear) {
    const name = yield* scan.run(/[^\n]/, 256);
    const call = hear.open(name.trim());
    yield* scan.space();
    yield* scan.word('Action Input:');
    yield* scan.run(/[ \t]/, 64);
    if ((yield* scan.afterSpace(1)) === '{') {
      yield* scan.space();
      yield* readArguments(
        scan,
        call,
        ends.map((end) => end.slice(1)),
      );
      yield* dropClosers(scan, hear);
    } else {
      const from = scan.offset;
      scan.markUnlessMarked();
      yield* findOneOf(scan, ends);
      const text = scan.since(from).trim();
      if (text !== '') call.write(inputJson(text, call.tool));
    }
    call.close();
    yield* scan.space();
    if (/^Observation:?\s*$/.test(yield* scan.ahead(24))) yield* scan.run(/[Observation:\s]/, 24);
  },
  teach: (tools, choice) =>
    lesson(tools, choice, `Thought: what you think\n${react.write(example)}\nObservation: (given to you)`, [
      'Call one tool at a time.',
      'When no more tools are needed, write "Final Answer:" and your answer.',
    ]),
  write: (call) => `Action: ${call.name}\nAction Input: ${argumentsJson(call)}`,
  writeResult: ({ text }) => `Observation: ${text}`,
  fence: (tool) => ({ trigger: 'Action:', begin: `Action: ${tool.name}\nAction Input: `, end: '\n' }),
};

/** The input as JSON: what stands in a fence or in quotes, else the text itself. */
function inputJson(text: string, tool: Tool | undefined): string {
  const inner = /^```\w*\s*([\s\S]*?)\s*```$/.exec(text)?.[1] ?? text;
  const json = inner.startsWith('{') ? readLoose(inner, tool)?.json : undefined;
  if (json !== undefined) return json;
  return typeof parseJson(inner) === 'string' ? inner : quoted(inner);
}
