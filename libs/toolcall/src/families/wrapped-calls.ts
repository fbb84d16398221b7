import type { CallBuilder } from '../dialect.ts';
import type { Scanner, Step } from '../scanner.ts';
import { fenceAhead, fencePattern } from './arguments.ts';
import { parseCallList } from './call-syntax.ts';
import { parameterBegins, parseFlatParameters } from './flat-parameters.ts';
import { parseOneCall } from './gemma.ts';
import { isOffered, parseClosingMarker } from './json-calls.ts';
import { parseNamedArguments } from './named-arguments.ts';

/**
 * Payloads of other dialects that models write into a wrapper:
 *
 *     <tool_call>NAME {"path": "a"}</tool_call>               json
 *     <tool_call>NAME⏎<path>a</path></tool_call>              flat
 *     <tool_call><NAME>⏎<path>a</path>⏎</NAME></tool_call>    tag
 *     <tool_call>[NAME(path="a")]</tool_call>                 syntax
 *     <tool_call>call:NAME{path:<|"|>a<|"|>}</tool_call>      gemma
 *     <tool_call><name>NAME</name><arguments>…</arguments>    elements
 */
type WrappedForm = 'json' | 'flat' | 'tag' | 'syntax' | 'gemma' | 'elements';

/** The name and the beginning of the arguments as elements; their content is JSON, or an element for each of them. */
const elementsHead =
  /^\s*<(name|tool_name|function_name)>\s*([\w.:-]+)\s*<\/\1>\s*<(arguments|parameters|args|input)>\s*/;

const objectBehindName = new RegExp(`^\\s*(?:${fencePattern})?\\{\\s*["'}]`);

/** Looks for such a call with an offered name; consumes nothing. */
export function* wrappedCallAhead(scan: Scanner, builder: CallBuilder): Step<WrappedForm | undefined> {
  const ahead = yield* scan.ahead(200);
  const element = elementsHead.exec(ahead)?.[2];
  if (element !== undefined) return isOffered(builder, element) ? 'elements' : undefined;
  const head = /^\s*([[<]?)\s*([A-Za-z_][\w.:-]*)([\s\S]*)/.exec(ahead);
  if (!head) return undefined;
  const [, before, name, rest] = head as unknown as [string, string, string, string];
  const tool = builder.tools.get(name);
  if (before === '<') {
    const inside = tool && /^>\s*([\s\S]*)/.exec(rest)?.[1];
    if (inside === undefined) return undefined;
    return parameterBegins(inside, tool) || inside.startsWith(`</${name}>`) ? 'tag' : undefined;
  }
  if (before === '' && /^\s*call:\s*[\w.-]+\s*[{(]/.test(ahead)) {
    const called = /[\w.-]+(?=\s*[{(])/.exec(ahead)?.[0] ?? '';
    return isOffered(builder, called) ? 'gemma' : undefined;
  }
  // `NAME()` followed by its arguments: the brackets belong to the name.
  const bare = /^\(\s*\)\s*(?=[{<])(?!<\/)/.exec(rest)?.[0] ?? '';
  if (bare !== '') return rest[bare.length] === '{' && isOffered(builder, name) ? 'json' : undefined;
  if (/^\s*\(/.test(rest)) return isOffered(builder, name) ? 'syntax' : undefined;
  if (before === '[') return undefined;
  if (parameterBegins(rest.trimStart(), tool)) return 'flat';
  return objectBehindName.test(rest) && isOffered(builder, withoutCount(name)) ? 'json' : undefined;
}

/** Parses the calls in such a wrapper, up to and including its closing marker. */
export function* parseWrappedCalls(scan: Scanner, builder: CallBuilder, form: WrappedForm, end: string): Step<void> {
  builder.repair('foreign-wrapper', scan.offset, scan.offset);
  yield* scan.space();
  switch (form) {
    case 'json':
      yield* parseNamedArguments(scan, builder, withoutCount(yield* takeName(scan)), [end]);
      return;
    case 'gemma':
      yield* parseOneCall(scan, builder, { open: builder.openingMarker.text, close: end, quote: '<|"|>' });
      break;
    case 'flat': {
      const call = builder.open(yield* takeName(scan));
      scan.markUnlessMarked();
      yield* parseFlatParameters(scan, call, [end]);
      call.close();
      return;
    }
    case 'tag':
      do {
        yield* scan.space();
        const from = scan.offset;
        yield* scan.takeText('<');
        const call = builder.open(yield* takeName(scan));
        scan.markUnlessMarked();
        yield* scan.takeText('>');
        yield* parseFlatParameters(scan, call, [`</${call.rawName}>`]);
        call.close();
        builder.setRange(from);
      } while ((yield* wrappedCallAhead(scan, builder)) === 'tag');
      break;
    case 'elements':
      yield* parseElements(scan, builder, end);
      break;
    case 'syntax': {
      const bracket = yield* scan.takeText('[');
      yield* parseCallList(scan, builder, [end], bracket);
    }
  }
  yield* parseClosingMarker(scan, builder, [end]);
}

function* parseElements(scan: Scanner, builder: CallBuilder, end: string): Step<void> {
  const [head = '', , name = '', element = ''] = elementsHead.exec(yield* scan.ahead(200)) ?? [];
  scan.at += head.length;
  const close = `</${element}>`;
  if ((yield* scan.peek()) === '{' || (yield* fenceAhead(scan)) > 0) {
    yield* parseNamedArguments(scan, builder, name, [close, end], [close]);
    return;
  }
  const call = builder.open(name);
  scan.markUnlessMarked();
  yield* parseFlatParameters(scan, call, [close, end]);
  call.close();
}

function* takeName(scan: Scanner): Step<string> {
  const name = yield* scan.run(/[\w.:-]/, 256);
  if (/^\(\s*\)\s*\{/.test(yield* scan.ahead(16))) yield* scan.run(/[()\s]/, 16);
  return name;
}

/** `functions.NAME:0`: a count follows the name. */
const withoutCount = (name: string): string => name.replace(/:\d+$/, '');
