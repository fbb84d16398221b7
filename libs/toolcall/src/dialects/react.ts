import { parseJson, type Tool } from '@callsmith/turn';
import type { Dialect } from '../dialect.ts';
import { quoted } from '../escape.ts';
import { parseArguments } from '../families/arguments.ts';
import { parseCallSyntax } from '../families/call-syntax.ts';
import { isOffered } from '../families/json-calls.ts';
import { dropClosers } from '../families/named-arguments.ts';
import { argumentsJson, example, toolPrompt } from '../families/tool-prompt.ts';
import { findOneOf } from '../find.ts';
import { parseLooseJson } from '../parse-loose-json.ts';
import { longestWhole } from '../parse-whole.ts';
import { ParseFailure } from '../scanner.ts';

const ends = ['\nObservation', '\n**Observation', '\nThought:', '\n**Thought', '\nAction:', '\nFinal Answer:'];

/** `Thought: …⏎Action: NAME⏎Action Input: {…}⏎Observation:`, as in LangChain's agent prompts; the input may be text */
export const react: Dialect = {
  name: 'react',
  ambiguous: true,
  openingMarkers: () => ['Action:', '**Action:**', '**Action**:'].map((text) => ({ text, at: 'line' })),
  reasoning: [{ open: 'Thought:', closes: ['\nFinal Answer:'], endsBefore: ['\nAction:'], at: 'line' }],
  frames: [{ text: 'Final Answer:', at: 'line' }],
  *matches(scan, builder) {
    const head = headOf(yield* scan.ahead(160));
    return head !== undefined && isOffered(builder, head.name);
  },
  *parse(scan, builder) {
    const head = headOf(yield* scan.ahead(160));
    if (!head) throw new ParseFailure('not-a-call');
    if (head.isCallSyntax) {
      yield* scan.space();
      return yield* parseCallSyntax(scan, builder, ends, { bareValues: true });
    }
    const call = builder.open(head.name);
    scan.at += head.length;
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
      if (!(yield* findOneOf(scan, ends)) && scan.offset - from >= longestWhole) throw new ParseFailure('not-a-call');
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

/** The text between `Action:` and the arguments: a name and the words before its input, or `NAME(`. */
interface ActionHead {
  readonly name: string;
  readonly length: number;
  readonly isCallSyntax: boolean;
}

/** `NAME⏎Action Input:`, also in bold and without `Action`; `NAME(…)`. */
function headOf(ahead: string): ActionHead | undefined {
  const head =
    /^[ \t]*["'`*]{0,3}([\w.-]+)(?:\(\))?["'`*]{0,3}[ \t]*\r?\n\s*\*{0,2}(?:Action )?Input(?:\*\*:|:\*\*|:)/.exec(
      ahead,
    );
  if (head) return { name: head[1] as string, length: head[0].length, isCallSyntax: false };
  const call = /^[ \t]*([\w.-]+)\(/.exec(ahead);
  return call ? { name: call[1] as string, length: call[0].length, isCallSyntax: true } : undefined;
}

/** The input as JSON: the content of a fence, of a list, of doubled braces or of quotes, else the text itself. */
function inputJson(text: string, tool: Tool | undefined): string {
  const fenced = /^```\w*\s*([\s\S]*?)\s*```$/.exec(text)?.[1] ?? text;
  const listed = /^\[\s*(\{[\s\S]*\})\s*\]$/.exec(fenced)?.[1] ?? fenced;
  const inner = /^\{(\{[\s\S]*\})\}$/.exec(listed)?.[1] ?? listed;
  const json = inner.startsWith('{') ? parseLooseJson(inner, tool)?.json : undefined;
  if (json !== undefined) return json;
  return inner[0] === '"' && parseJson(inner) !== undefined ? inner : quoted(inner);
}
