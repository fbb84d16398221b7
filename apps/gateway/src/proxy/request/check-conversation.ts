import type { ConversationSettings } from '@callsmith/config';
import type { ModelEntry } from '@callsmith/data/snapshot';
import { type Content, Fault, type FaultCode, type Message, type PastCall, type Turn, textOf } from '@callsmith/turn';
import { type CallLoop, callLoop } from '../agent/call-loops.ts';

/** A turn that may continue, and the reason for the message added to its end, if one was. */
export interface CheckedTurn {
  readonly turn: Turn;
  readonly nudge?: FaultCode;
  /** The loop at the end of the conversation, whether or not the model gets a message about it. */
  readonly loop?: CallLoop;
}

/**
 * Checks whether a conversation may continue: by `withinLimits`, and for loops that are too short for those limits,
 * which only lead to a message to the model if its setting says so.
 */
export function checkConversation(turn: Turn, model: ModelEntry, settings: ConversationSettings): CheckedTurn {
  const checked = withinLimits(turn, model, settings);
  const loop = callLoop(turn.messages);
  if (loop === undefined || (loop.kind === 'calls' && turn.tools.size === 0)) return checked;
  if (checked.nudge !== undefined || !model.nudgeLoops.value) return { ...checked, loop };
  const withNudge =
    loop.kind === 'no-call'
      ? nudged(turn, 'tool_call_required', withoutCall)
      : nudged(turn, 'repeated_tool_call', inLoop(loop.tools.join(', '), loop.times));
  return { ...withNudge, loop };
}

/**
 * Finds a conversation that has used all the calls its model allows, and one whose model repeats calls with the same
 * results. Throws `tool_call_limit` or `repeated_tool_call`. With nudging a message to the model is added
 * instead, and at the limit it gets no tools. A turn without tools always continues, as no call can come of it.
 */
function withinLimits(
  turn: Turn,
  { name, toolCallLimit }: ModelEntry,
  { repeats, excess }: ConversationSettings,
): CheckedTurn {
  if (turn.tools.size === 0) return { turn };
  const made = callsIn(turn.messages);
  if (toolCallLimit !== undefined && made.length >= toolCallLimit.value) {
    if (excess === 'nudge') return nudged({ ...turn, toolChoice: 'none' }, 'tool_call_limit', atLimit(made.length));
    throw new Fault(
      'tool_call_limit',
      `This conversation has ${made.length} tool calls; ${name} allows ${toolCallLimit.value}. Start a new conversation, or raise the limit on the Models page.`,
      { param: 'messages' },
    );
  }
  const loop = repeats === 0 ? undefined : loopAtEnd(made, repeats);
  if (loop === undefined) return { turn };
  const names = loop.map(({ call }) => call.name).join(', ');
  if (excess === 'nudge') return nudged(turn, 'repeated_tool_call', inLoop(names, repeats));
  throw new Fault(
    'repeated_tool_call',
    `The model has called ${names} ${repeats} times in a row with the same arguments and the same result. Tell it what to do instead, or start a new conversation.`,
    { param: 'messages' },
  );
}

const atLimit = (calls: number): string =>
  `This conversation has used its ${calls} tool calls. Call no more tools; answer with what you know now.`;

const inLoop = (names: string, repeats: number): string =>
  `You have called ${names} ${repeats} times in a row with the same arguments and got the same result each time. Calling again brings nothing new: use what you know, try something else, or say what stands in the way.`;

const withoutCall =
  'Your last answers called no tool although one was needed. Do not say what you would do: call the one tool that does the next step, in the form that you were told. If the work is done, call the tool that says so.';

const nudged = (turn: Turn, nudge: FaultCode, content: string): CheckedTurn => ({
  turn: { ...turn, messages: [...turn.messages, { role: 'user', content }] },
  nudge,
});

interface Made {
  readonly call: PastCall;
  result: Content | undefined;
}

/** All calls in order, each with its result; ids may come again in later messages. */
function callsIn(messages: readonly Message[]): Made[] {
  const made: Made[] = [];
  const newest = new Map<string, Made>();
  for (const message of messages) {
    if (message.role === 'tool') {
      const one = newest.get(message.callId);
      if (one) one.result = message.content;
    } else if (message.role === 'assistant')
      for (const call of message.calls) {
        const one: Made = { call, result: undefined };
        made.push(one);
        newest.set(call.id, one);
      }
  }
  return made;
}

/** The most calls that may repeat together as one round; longer rounds are not found. */
const longestRound = 4;

/**
 * The calls that repeat at least this often at the end of the conversation: one, or a round of several, such as
 * parallel calls.
 */
function loopAtEnd(made: readonly Made[], repeats: number): readonly Made[] | undefined {
  for (let round = 1; round <= longestRound && round * repeats <= made.length; round++) {
    const tail = made.slice(-round * repeats);
    if (tail.every((one, at) => at < round || isSame(one, tail[at - round] as Made))) return tail.slice(0, round);
  }
  return undefined;
}

const isSame = (a: Made, b: Made): boolean =>
  a.call.name === b.call.name &&
  a.call.arguments === b.call.arguments &&
  a.result !== undefined &&
  b.result !== undefined &&
  textOf(a.result) === textOf(b.result);
