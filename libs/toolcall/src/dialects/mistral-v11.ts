import type { CallBuilder, Dialect, ResultFormat } from '../dialect.ts';
import { fenceAhead, fencePattern, parseArguments } from '../families/arguments.ts';
import { callAhead, parseCallSyntax } from '../families/call-syntax.ts';
import { mistralTemplate } from '../families/chat-templates.ts';
import { isOffered } from '../families/json-calls.ts';
import { dropClosers, offeredNameAhead, parseNamedArguments } from '../families/named-arguments.ts';
import { mistralReasoning } from '../families/reasoning.ts';
import { nextVisibleChar } from '../families/rules-out.ts';
import { argumentsJson, example, toolPrompt } from '../families/tool-prompt.ts';
import { OpenTools } from '../open-tools.ts';
import { ParseFailure, type Scanner, type Step, unsure } from '../scanner.ts';

const marker = '[TOOL_CALLS]';

const nameAndArguments = new RegExp(`^\\s*[\\w.:-]+(?:\\(\\s*\\))?\\s*(?:[[{]|${fencePattern}\\{)`);

/** `NAME[ARGS]{…}`, `NAME[CALL_ID]id[ARGS]{…}`, `NAME{…}`, with or without whitespace between the parts. */
function* parseOneCall(scan: Scanner, builder: CallBuilder): Step<void> {
  yield* scan.space();
  if ((yield* callAhead(scan)) !== undefined) return yield* parseCallSyntax(scan, builder, [marker]);
  const name = yield* scan.run(/[^[{`\s]/, 256);
  if (name === '') throw new ParseFailure('not-a-call');
  yield* scan.space();
  if (yield* scan.takeText('[CALL_ID]')) yield* scan.run(/[^[{]/, 64);
  yield* scan.space();
  yield* scan.takeText('[ARGS]');
  yield* scan.space();
  const next = yield* scan.peek();
  if (next !== '' && !'{["'.includes(next) && (yield* fenceAhead(scan)) === 0) throw new ParseFailure('not-a-call');
  if (next === '' && !isOffered(builder, name)) throw new ParseFailure('not-a-call');
  const call = builder.open(name);
  if (next === '') throw new ParseFailure('cut');
  yield* parseArguments(scan, call, [marker]);
  yield* dropClosers(scan, builder);
  call.close();
}

/** `NAME[ARGS]` behind a call, without a marker of its own. */
function* anotherAhead(scan: Scanner, builder: CallBuilder): Step<boolean> {
  const name = yield* scan.look(160, (ahead, all) => {
    const found = /^\s*([\w.-]+)\s*\[(?:ARGS|CALL_ID)\]/.exec(ahead)?.[1];
    return found ?? (!all && /^\s*(?:[\w.-]+\s*(?:\[[A-Z_]*)?)?$/.test(ahead) ? unsure : undefined);
  });
  return name !== undefined && isOffered(builder, name);
}

/** `NAME{`, or `NAMEabc123def{` with a call id of nine letters or digits glued to it: what is left when a server strips the markers. */
function* strippedAhead(scan: Scanner, builder: CallBuilder): Step<{ name: string; length: number } | undefined> {
  const name = yield* offeredNameAhead(scan, builder, /^\{/);
  if (name !== undefined) return { name, length: name.length };
  if (builder.tools instanceof OpenTools) return undefined;
  return yield* scan.look(96, (ahead, all) => {
    const glued = /^([\w.-]+)[A-Za-z0-9]{9}\{/.exec(ahead);
    const bare = glued?.[1];
    if (glued && bare !== undefined && builder.tools.get(bare)) return { name: bare, length: glued[0].length - 1 };
    return !all && builder.tools.list.some(({ name }) => mayBecomeGlued(ahead, name)) ? unsure : undefined;
  });
}

const mayBecomeGlued = (ahead: string, name: string): boolean =>
  name.startsWith(ahead) || (ahead.startsWith(name) && /^[A-Za-z0-9]{0,9}$/.test(ahead.slice(name.length)));

/** `[TOOL_RESULTS]…[/TOOL_RESULTS]` around the result as `inside` writes it. */
export const mistralResult = (inside: Dialect['renderResult']): ResultFormat => ({
  renderResult: (result) => `[TOOL_RESULTS]${inside(result)}[/TOOL_RESULTS]`,
  resultMarkers: [{ text: '[TOOL_RESULTS]', at: 'anywhere' }],
  resultEnds: ['[/TOOL_RESULTS]', '[TOOL_CONTENT]'],
});

/** Mistral's formats since tokenizer v11, with or without a call id. */
export function mistralNamed(name: string, id: (callId: string) => string, result: Dialect['renderResult']): Dialect {
  const dialect: Dialect = {
    name,
    openingMarkers: () => [
      { text: marker, at: 'anywhere' },
      { text: '', at: 'answer', rule: 'restore-markers', ambiguous: true },
    ],
    rulesOut(text, at, openingMarker) {
      const char = openingMarker.text === '' ? undefined : nextVisibleChar(text, at);
      return char !== undefined && !/[\w.:-]/.test(char);
    },
    *matches(scan, builder) {
      if (builder.openingMarker.text === '') return (yield* strippedAhead(scan, builder)) !== undefined;
      const name = yield* callAhead(scan);
      if (name !== undefined) return isOffered(builder, name);
      return nameAndArguments.test(yield* scan.ahead(80)) && (yield* scan.afterSpace(1)) !== '[';
    },
    *parse(scan, builder) {
      if (builder.openingMarker.text !== '') {
        do {
          const from = scan.offset;
          yield* parseOneCall(scan, builder);
          builder.setRange(from);
        } while (yield* anotherAhead(scan, builder));
        return;
      }
      for (let found = yield* strippedAhead(scan, builder); found; found = yield* strippedAhead(scan, builder)) {
        const from = scan.offset;
        scan.at += found.length;
        yield* parseNamedArguments(scan, builder, found.name, []);
        builder.setRange(from);
      }
    },
    closingMarkers: () => ['[/TOOL_CALLS]'],
    innerMarkers: ['[ARGS]', '[CALL_ID]'],
    reasoning: [mistralReasoning],
    template: mistralTemplate,
    renderToolPrompt: (tools, shape) => toolPrompt(tools, shape, dialect.renderCall(example)),
    renderCall: (call) => `${marker}${call.name}${id(call.id)}[ARGS]${argumentsJson(call)}`,
    ...mistralResult(result),
    fence: (tool) => ({ trigger: marker, begin: `${marker}${tool.name}[ARGS]`, end: '', style: 'json' }),
  };
  return dialect;
}

/** `[TOOL_CALLS]NAME[ARGS]{…}`, the marker before each call; stripped: `NAME{…}NAME{…}` */
export const mistralV11 = mistralNamed(
  'mistral-v11',
  () => '',
  ({ text }) => text,
);
