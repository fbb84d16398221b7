import { isObject, type JsonObject, type JsonValue } from '@callsmith/turn';
import type { Answer, Call } from './behavior/answer.ts';
import { contentText, readConversation } from './behavior/conversation.ts';
import { withoutCorrections } from './behavior/corrections.ts';
import { type Allowed, decide } from './behavior/decide.ts';
import { clineForm, type Form, formNamed, hermesForm, promptedForm, writesJson } from './behavior/forms.ts';
import { nativeTools, promptsClineXml, toolsInText } from './behavior/offered.ts';
import { workingDirectory } from './behavior/step-call.ts';
import { type WrittenCall, writeCalls } from './behavior/write-calls.ts';
import { isConstrained, withinConstraint } from './constraint.ts';
import type { Controls } from './controls.ts';
import { breakArguments } from './faults/breakages.ts';
import { breakageOf, drawFaults, type Fault, withoutBreakages } from './faults/faults.ts';
import type { Random } from './random.ts';
import { countTokens, splitTokens } from './tokens.ts';

/** A part of the model output. */
export type Segment =
  | { readonly kind: 'reasoning' | 'content'; readonly text: string }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly text: string };

/** Everything decided about one turn before its first byte is sent. */
export interface PlayedTurn {
  readonly segments: readonly Segment[];
  readonly finish: 'stop' | 'length' | 'tool_calls';
  readonly stopReason: string | null;
  readonly tokens: number;
  readonly faults: ReadonlySet<Fault>;
  /** The first call as the model wrote it, for an engine that rejects it. */
  readonly raw: { readonly arguments: string; readonly text: string } | undefined;
}

/** Identifies a turn: the same task in the same state is the same turn, however the request is worded. */
export function turnKey(body: JsonObject): { readonly task: string; readonly place: string } {
  const { task, answers, surroundings } = understand(body, undefined).conversation;
  return { task: `${task}|${answers}`, place: workingDirectory(surroundings) ?? '' };
}

/** Plays one turn: parses the conversation, decides, writes the response as this model would, with the drawn faults. */
export function playTurn(body: JsonObject, controls: Controls, random: Random): PlayedTurn {
  const offered = controls.tools === 'ignore' ? withoutTools(body) : body;
  const native = nativeTools(offered.tools).length > 0 && offered.tool_choice !== 'none';
  const { conversation, form, allowed, corrected } = understand(offered, controls.dialect);
  const drawn = drawFaults(controls.faults, random, {
    form: native ? 'native' : form === undefined ? 'none' : writesJson(form) ? 'json' : 'tags',
    again: corrected && controls.mends !== undefined ? 1 - controls.mends / 100 : undefined,
    examples: exampleCalls.test(conversation.system),
  });
  const heeds = controls.constraint === 'heed' && isConstrained(body);
  const faults = heeds ? withoutBreakages(drawn) : drawn;
  const decided = controls.echo ? { reasoning: '', text: conversation.task, calls: [] } : decide(conversation, allowed);
  const answer = spoil(heeds ? withinConstraint(decided, body) : decided, faults);
  const written = answer.calls.map((call) => writeCall(disguise(call, faults), faults, random));
  const leaks = native && (controls.tools === 'leak' || faults.has('leak'));
  const textForm = leaks ? (formNamed(controls.dialect ?? 'hermes') ?? hermesForm) : native ? undefined : form;
  const answerSegments = voice(
    answer,
    written,
    textForm && { form: textForm, past: conversation.exchanges.length },
    controls,
    random,
  );
  const segments =
    faults.has('call-in-reasoning') && written.length > 0
      ? [inReasoning(writeCalls(textForm ?? hermesForm, written), controls)]
      : answerSegments;
  const stopped = stopAt(segments, stopStrings(body.stop));
  const budget = faults.has('truncate-call') ? callMiddle(stopped.segments, textForm) : limitOf(body);
  const { kept, truncated } = cut(stopped.segments, budget);
  const calls = kept.some((segment) => segment.kind === 'call');
  const first = written[0];
  return {
    segments: kept,
    finish: truncated ? 'length' : calls ? 'tool_calls' : 'stop',
    stopReason: stopped.by,
    tokens: kept.reduce((sum, segment) => sum + countTokens(segment.text), 0),
    faults,
    raw: first && {
      arguments: rawForEngine(first),
      text: writeCalls(hermesForm, [{ ...first, raw: rawForEngine(first) }]),
    },
  };
}

/** Nothing, or an announcement, in place of the decided calls. */
function spoil(answer: Answer, faults: ReadonlySet<Fault>): Answer {
  if (faults.has('empty-answer')) return { reasoning: '', text: '', calls: [] };
  if (!faults.has('announced') || answer.calls.length === 0) return answer;
  return { reasoning: answer.reasoning, text: `Let me call ${answer.calls[0]?.name} for that now:`, calls: [] };
}

/** Calls that the model makes within its reasoning. */
function inReasoning(calls: string, { reasoning }: Controls): Segment {
  const thought = `I should do this now.\n${calls}\n`;
  return reasoning === 'think'
    ? { kind: 'content', text: `<think>\n${thought}</think>\n\n` }
    : { kind: 'reasoning', text: thought };
}

// Engines fail on what models do most often: unescaped newlines inside a string.
const rawForEngine = (call: WrittenCall): string => {
  const broken = call.raw.replace(/(?<!\\)((?:\\\\)*)\\n/g, '$1\n');
  return broken === call.raw ? `${call.raw.slice(0, -1)},}` : broken;
};

function understand(body: JsonObject, dialect: string | undefined) {
  const { messages, corrected } = withoutCorrections(body.messages);
  const system = messages
    .filter((message) => message.role === 'system' || message.role === 'developer')
    .map((message) => contentText(message.content))
    .join('\n\n');
  const native = nativeTools(body.tools);
  const form = native.length > 0 ? undefined : promptsClineXml(system) ? clineForm : promptedForm(system, dialect);
  // What leaked earlier is still in the history as text.
  const textForm = form ?? (dialect === undefined ? undefined : formNamed(dialect));
  const tools = native.length > 0 ? native : form === undefined ? [] : toolsInText(system);
  const allowed: Allowed = {
    tools,
    parallel: body.parallel_tool_calls !== false && form?.oneCall !== true && !oneByOne.test(system),
    choice: native.length > 0 ? choiceOf(body.tool_choice) : choiceInText(system),
  };
  return { conversation: readConversation(messages, tools, textForm), form, allowed, corrected };
}

function withoutTools({ tools: _, tool_choice: __, ...rest }: JsonObject): JsonObject {
  return rest;
}

const exampleCalls = /\bexamples? of (?:a call|calls)\b/i;

const oneByOne = /\b(?:at most one tool|one tool at a time)\b/;

function choiceOf(choice: JsonValue | undefined): Allowed['choice'] {
  if (choice === 'none' || choice === 'required') return choice;
  if (!isObject(choice)) return 'auto';
  const name = isObject(choice.function) ? choice.function.name : choice.name;
  return typeof name === 'string' ? { name } : 'auto';
}

/** How a prompt expresses `tool_choice` in a request with tools. */
function choiceInText(system: string): Allowed['choice'] {
  const end = system.slice(-400);
  if (/\bdo not call any tool in (?:your next|this) answer\b/i.test(end)) return 'none';
  const name = /\bmust call the tool "?(\S+?)"? (?:and no other|in this answer)\b/i.exec(end)?.[1];
  if (name !== undefined) return { name };
  return /\bmust call (?:at least one|a) tool\b/i.test(end) ? 'required' : 'auto';
}

function disguise(call: Call, faults: ReadonlySet<Fault>): Call {
  if (faults.has('unknown-tool')) return { ...call, name: 'no_such_tool' };
  if (!faults.has('wrong-case')) return call;
  const first = call.name[0] ?? '';
  return {
    ...call,
    name: `${first === first.toLowerCase() ? first.toUpperCase() : first.toLowerCase()}${call.name.slice(1)}`,
  };
}

function writeCall(call: Call, faults: ReadonlySet<Fault>, random: Random): WrittenCall {
  const breakage = breakageOf(faults);
  return {
    ...call,
    raw: breakage === undefined ? JSON.stringify(call.arguments) : breakArguments(call.arguments, breakage, random),
  };
}

/** Orders reasoning, text and calls in the form of this model. */
function voice(
  answer: Answer,
  written: readonly WrittenCall[],
  callsAsText: { readonly form: Form; readonly past: number } | undefined,
  controls: Controls,
  random: Random,
): Segment[] {
  const segments: Segment[] = [];
  if (controls.reasoning === 'field' && answer.reasoning !== '')
    segments.push({ kind: 'reasoning', text: answer.reasoning });
  const thought =
    controls.reasoning === 'think' && answer.reasoning !== '' ? `<think>\n${answer.reasoning}\n</think>\n\n` : '';
  const inText = callsAsText !== undefined && written.length > 0;
  const silent = inText ? callsAsText.form.callsOnly === true : written.length > 0 && !controls.talks;
  const words = silent ? '' : answer.text;
  const calls = inText ? writeCalls(callsAsText.form, written, callsAsText.past) : '';
  const text = [words, calls].filter((part) => part !== '').join('\n');
  if (thought + text !== '') segments.push({ kind: 'content', text: thought + text });
  if (inText) return segments;
  for (const call of written)
    segments.push({ kind: 'call', id: `chatcmpl-tool-${random.hex(32)}`, name: call.name, text: call.raw });
  return segments;
}

function stopStrings(stop: JsonValue | undefined): string[] {
  if (typeof stop === 'string') return stop === '' ? [] : [stop];
  return Array.isArray(stop) ? stop.filter((each): each is string => typeof each === 'string' && each !== '') : [];
}

/** Ends the response before the first stop string in its text. */
function stopAt(
  segments: readonly Segment[],
  stops: readonly string[],
): { segments: readonly Segment[]; by: string | null } {
  for (const [index, segment] of segments.entries()) {
    if (segment.kind !== 'content') continue;
    const hits = stops.map((stop) => ({ stop, at: segment.text.indexOf(stop) })).filter((hit) => hit.at >= 0);
    const first = hits.sort((a, b) => a.at - b.at)[0];
    if (first !== undefined)
      return {
        segments: [...segments.slice(0, index), { ...segment, text: segment.text.slice(0, first.at) }],
        by: first.stop,
      };
  }
  return { segments, by: null };
}

function limitOf(body: JsonObject): number {
  const maxTokens = body.max_completion_tokens ?? body.max_tokens;
  return typeof maxTokens === 'number' ? maxTokens : Number.POSITIVE_INFINITY;
}

/** The token count that ends in the middle of the response's last call. */
function callMiddle(segments: readonly Segment[], form: Form | undefined): number {
  const last = segments.at(-1);
  if (last === undefined || (last.kind !== 'call' && form === undefined)) return Number.POSITIVE_INFINITY;
  const before = segments.slice(0, -1).reduce((sum, segment) => sum + countTokens(segment.text), 0);
  return before + Math.max(1, Math.floor(countTokens(last.text) * (last.kind === 'call' ? 0.5 : 0.8)));
}

function cut(segments: readonly Segment[], budget: number): { kept: Segment[]; truncated: boolean } {
  const kept: Segment[] = [];
  let left = budget;
  for (const segment of segments) {
    const tokens = splitTokens(segment.text);
    if (tokens.length <= left) {
      kept.push(segment);
      left -= tokens.length;
      continue;
    }
    const text = tokens.slice(0, left).join('');
    if (text !== '') kept.push({ ...segment, text });
    return { kept, truncated: true };
  }
  return { kept, truncated: false };
}
