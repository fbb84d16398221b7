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

/** How a response is parsed. */
export interface ParseResponseOptions {
  readonly turn: Turn;
  /** How the tools were sent. */
  readonly strategyUsed: BaseStrategy;
  /** The name of the model's dialect, or `auto`. */
  readonly dialect: string;
  /** The dialect was set by an admin. */
  readonly dialectDeclared: boolean;
  /** The model has made native calls or calls with a dialect's markers before. */
  readonly marksCalls: boolean;
  /** The dialect of the tool prompt. */
  readonly promptDialect: Dialect | undefined;
  /** UTF-8 bytes of arguments up to which a call is buffered; `null`: until it is complete (D-7). */
  readonly holdBytes: number | null;
  readonly streamed: boolean;
  readonly proxyRules: boolean;
  readonly reasoningPrefilled: boolean;
  readonly promoteReasoningCalls: boolean;
  /** The last message of the request is a tool's result. */
  readonly behindResult: boolean;
  /** A response that announces a call and makes none counts as unusable. */
  readonly nudgeAnnounced: boolean;
  /** The names of tools whose schemas the model was not shown; see `parseCalls`. */
  readonly unshown?: ReadonlySet<string> | undefined;
  readonly bounds?: AnswerBounds | undefined;
  /**
   * Is called with a response that has no usable call where one was intended. Absent: the response is sent as it is.
   */
  readonly onUnusable?: ((answer: UnusableAnswer) => void) | undefined;
}

/**
 * The stage that parses a model's output: upstream events in, the client's events out, with calls in text turned into
 * calls.
 */
export function parseResponse(options: ParseResponseOptions): Stage<UpstreamEvent, TurnEvent> {
  const { turn, strategyUsed, promptDialect } = options;
  const parse = parseCalls({
    tools: turn.tools,
    dialect: options.dialect,
    dialectDeclared: options.dialectDeclared,
    marksCalls: options.marksCalls,
    strategyUsed,
    // The client of a whole response gains nothing from early calls, so that each is buffered and checked completely.
    holdBytes: options.proxyRules || !options.streamed ? null : options.holdBytes,
    toolChoice: turn.toolChoice,
    parallel: turn.parallel,
    proxyRules: options.proxyRules,
    reasoningPrefilled: options.reasoningPrefilled,
    promoteReasoningCalls: options.promoteReasoningCalls,
    behindResult: options.behindResult,
    nudgesAnnounced: options.nudgeAnnounced,
    unshown: options.unshown,
    bounds: options.bounds,
    onUnusable: options.onUnusable,
  });
  return strategyUsed === 'prompt' && promptDialect
    ? pipe(parse, unescapeEvents(escaperFor(promptDialect, turn.tools)))
    : parse;
}
