import { type JsonObject, parseJson } from '@callsmith/turn';
import type { Fault } from '../faults/faults.ts';
import { countTokens } from '../tokens.ts';
import type { PlayedTurn, Segment } from '../turn.ts';

/** One delta of the stream, with the text that its tokens are counted of. */
export interface Delta {
  readonly delta: JsonObject;
  readonly tokens: number;
  /** True inside a native call. */
  readonly call: boolean;
}

type CallSegment = Segment & { readonly kind: 'call' };

/**
 * A turn as the deltas of one choice, in chunks of `chunk` characters, framed according to the faults, without the
 * finish.
 */
export function deltas(turn: PlayedTurn, chunk: number): Delta[] {
  const out: Delta[] = [];
  if (!turn.faults.has('no-role')) out.push({ delta: { role: 'assistant', content: '' }, tokens: 0, call: false });
  const calls = glued(
    turn.segments.filter((segment): segment is CallSegment => segment.kind === 'call'),
    turn.faults,
  );
  for (const segment of turn.segments) {
    if (segment.kind === 'call') continue;
    const key = segment.kind === 'reasoning' ? 'reasoning_content' : 'content';
    for (const piece of pieces(segment.text, chunk))
      out.push({ delta: { [key]: piece }, tokens: countTokens(piece), call: false });
  }
  for (const [position, call] of calls.entries()) out.push(...callDeltas(call, position, chunk, turn.faults));
  return out;
}

/** A turn as the message of a whole response. */
export function wholeMessage(turn: PlayedTurn): JsonObject {
  const textOf = (kind: Segment['kind']) =>
    turn.segments
      .filter((segment) => segment.kind === kind)
      .map((segment) => segment.text)
      .join('');
  const calls = glued(
    turn.segments.filter((segment): segment is CallSegment => segment.kind === 'call'),
    turn.faults,
  );
  const content = textOf('content');
  return {
    role: 'assistant',
    content: content === '' && calls.length > 0 ? null : content,
    refusal: null,
    annotations: null,
    audio: null,
    function_call: null,
    tool_calls: calls.map((call) => {
      const id = idOf(call, turn.faults);
      return {
        ...(id !== undefined && { id }),
        ...(!turn.faults.has('no-type') && { type: 'function' }),
        function: {
          name: call.name,
          arguments: turn.faults.has('arguments-object') ? (parseJson(call.text) ?? call.text) : call.text,
        },
      };
    }),
    reasoning_content: textOf('reasoning') || null,
  };
}

function callDeltas(call: CallSegment, position: number, chunk: number, faults: ReadonlySet<Fault>): Delta[] {
  const index = faults.has('no-index')
    ? {}
    : { index: faults.has('index-zero') ? 0 : faults.has('index-one') ? position + 1 : position };
  const id = idOf(call, faults);
  const first = { ...index, ...(id !== undefined && { id }), ...(!faults.has('no-type') && { type: 'function' }) };
  const delta = (entry: JsonObject, text: string): Delta => ({
    delta: { tool_calls: [entry] },
    tokens: countTokens(text),
    call: true,
  });
  if (faults.has('arguments-object'))
    return [
      delta({ ...first, function: { name: call.name, arguments: parseJson(call.text) ?? call.text } }, call.text),
    ];
  if (faults.has('one-delta'))
    return [delta({ ...first, function: { name: call.name, arguments: call.text } }, call.text)];
  const again = { ...index, ...(faults.has('id-always') && id !== undefined && { id }) };
  const name = faults.has('name-always') ? { name: call.name } : {};
  const start = delta({ ...first, function: { name: call.name, arguments: '' } }, call.name);
  return [
    start,
    ...pieces(call.text, chunk).map((piece) => delta({ ...again, function: { ...name, arguments: piece } }, piece)),
  ];
}

function idOf(call: CallSegment, faults: ReadonlySet<Fault>): string | undefined {
  if (faults.has('no-id')) return undefined;
  if (faults.has('empty-id')) return '';
  return faults.has('same-id') ? 'call_1' : call.id;
}

/** Some servers merge parallel calls into one whose arguments are several objects in a row. */
function glued(calls: readonly CallSegment[], faults: ReadonlySet<Fault>): readonly CallSegment[] {
  const [first] = calls;
  if (!faults.has('glue-calls') || first === undefined) return calls;
  return [{ ...first, text: calls.map((call) => call.text).join('') }];
}

/** Splits text into chunks of `size` UTF-16 units, never inside a surrogate pair. */
export function pieces(text: string, size: number): string[] {
  const out: string[] = [];
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + size, text.length);
    const last = text.charCodeAt(end - 1);
    if (last >= 0xd800 && last <= 0xdbff && end < text.length) end++;
    out.push(text.slice(at, end));
    at = end;
  }
  return out;
}
