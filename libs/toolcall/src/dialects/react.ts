import { parseJson, type Tool } from '@callsmith/turn';
import type { Dialect } from '../dialect.ts';
import { quoted } from '../escape.ts';
import { parseArguments } from '../families/arguments.ts';
import { isOffered } from '../families/json-calls.ts';
import { dropClosers } from '../families/named-arguments.ts';
import { argumentsJson, example, toolPrompt } from '../families/tool-prompt.ts';
import { findOneOf } from '../find.ts';
import { parseLooseJson } from '../parse-loose-json.ts';

const ends = ['\nObservation', '\nThought:', '\nAction:', '\nFinal Answer:'];

/** `Thought: …⏎Action: NAME⏎Action Input: {…}⏎Observation:`, the agents' prompts since LangChain; the input may be plain text */
export const react: Dialect = {
  name: 'react',
  ambiguous: true,
  openingMarkers: () => [{ text: 'Action:', at: 'line' }],
  reasoning: [{ open: 'Thought:', closes: ['\nFinal Answer:'], endsBefore: ['\nAction:'], at: 'line' }],
  frames: [{ text: 'Final Answer:', at: 'line' }],
  *matches(scan, builder) {
    const head = /^[ \t]*["'`]?([\w.-]+)["'`]?[ \t]*\r?\n\s*Action Input:/.exec(yield* scan.ahead(160));
    return head !== null && isOffered(builder, head[1] as string);
  },
  *parse(scan, builder) {
    const name = yield* scan.run(/[^\n]/, 256);
    const call = builder.open(name.trim());
    yield* scan.space();
    yield* scan.takeText('Action Input:');
    yield* scan.run(/[ \t]/, 64);
    if ((yield* scan.afterSpace(1)) === '{') {
      yield* scan.space();
      yield* parseArguments(
        scan,
        call,
        ends.map((end) => end.slice(1)),
      );
      yield* dropClosers(scan, builder);
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
  renderToolPrompt: (tools, shape) =>
    toolPrompt(tools, shape, `Thought: what you think\n${react.renderCall(example)}\nObservation: (given to you)`, [
      'Call one tool at a time.',
      'When no more tools are needed, write "Final Answer:" and your answer.',
    ]),
  renderCall: (call) => `Action: ${call.name}\nAction Input: ${argumentsJson(call)}`,
  renderResult: ({ text }) => `Observation: ${text}`,
  resultMarkers: [{ text: 'Observation:', at: 'line' }],
};

/** The input as JSON: what stands in a fence or in quotes, else the text itself. */
function inputJson(text: string, tool: Tool | undefined): string {
  const inner = /^```\w*\s*([\s\S]*?)\s*```$/.exec(text)?.[1] ?? text;
  const json = inner.startsWith('{') ? parseLooseJson(inner, tool)?.json : undefined;
  if (json !== undefined) return json;
  return typeof parseJson(inner) === 'string' ? inner : quoted(inner);
}
