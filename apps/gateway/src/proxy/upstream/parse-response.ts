import { pipe, type Stage } from '@callsmith/stream';
import {
  type AnswerBounds,
  type Dialect,
  escaperFor,
  parseCalls,
  type UnusableAnswer,
  unescapeEvents,
} from '@callsmith/toolcall';
import type { BaseStrategy, Turn, TurnEvent, UpstreamEvent } from '@callsmith/turn';

/** How an answer is read. */
export interface ParseResponseOptions {
  readonly turn: Turn;
  /** How the tools were sent. */
  readonly strategyUsed: BaseStrategy;
  /** Name of the dialect that is read, or `auto`. */
  readonly dialect: string;
  /** Somebody declared that dialect by hand. */
  readonly dialectDeclared: boolean;
  /** The model was seen to call natively, or with markers. */
  readonly marksCalls: boolean;
  /** The dialect in which the prompt taught the tools. */
  readonly promptDialect: Dialect | undefined;
  /** UTF-8 bytes of arguments up to which a call is held back; `null`: until it is whole. */
  readonly holdBytes: number | null;
  readonly streamed: boolean;
  readonly proxyRules: boolean;
  readonly reasoningPrefilled: boolean;
  readonly promoteReasoningCalls: boolean;
  /** The request ends with a tool's result. */
  readonly behindResult: boolean;
  /** An answer that announces a call and makes none counts as one to be asked for again. */
  readonly nudgeAnnounced: boolean;
  /** As `parseCalls`'s. */
  readonly unshown?: ReadonlySet<string>;
  readonly bounds?: AnswerBounds;
  /** Takes an answer without a usable call where one was meant; absent: it goes out as it is. */
  readonly onUnusable?: (answer: UnusableAnswer) => void;
}

/** What a model says, to what is understood of it. */
export function parseResponse({
  turn,
  strategyUsed,
  promptDialect,
  streamed,
  ...given
}: ParseResponseOptions): Stage<UpstreamEvent, TurnEvent> {
  const read = parseCalls({
    tools: turn.tools,
    dialect: given.dialect,
    dialectDeclared: given.dialectDeclared,
    marksCalls: given.marksCalls,
    strategyUsed,
    // Nobody sees a whole answer grow, so that all of its calls can be checked to their end.
    holdBytes: given.proxyRules || !streamed ? null : given.holdBytes,
    toolChoice: turn.toolChoice,
    parallel: turn.parallel,
    proxyRules: given.proxyRules,
    reasoningPrefilled: given.reasoningPrefilled,
    promoteReasoningCalls: given.promoteReasoningCalls,
    behindResult: given.behindResult,
    nudgesAnnounced: given.nudgeAnnounced,
    ...(given.unshown && { unshown: given.unshown }),
    ...(given.bounds && { bounds: given.bounds }),
    ...(given.onUnusable && { onUnusable: given.onUnusable }),
  });
  return strategyUsed === 'prompt' && promptDialect
    ? pipe(read, unescapeEvents(escaperFor(promptDialect, turn.tools)))
    : read;
}
