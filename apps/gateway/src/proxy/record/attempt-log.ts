import type { ModelEntry, Route } from '@callsmith/data/snapshot';
import type { FaultCode, FindingClass, Message, StrategyUsed, Usage } from '@callsmith/turn';
import type { RawAnswer } from './raw-answer.ts';

/** One of several attempts at the same response (D-35). */
export interface Try {
  /** Why its response is unusable; empty if it is good, or none came. */
  readonly classes: readonly FindingClass[];
  /** The messages that were appended about the previous response; empty if the same request was sent again. */
  readonly messages: readonly Message[];
  /** The body of the upstream request; undefined if bodies are not stored. */
  readonly body: string | undefined;
  readonly raw: RawAnswer | undefined;
  /** Its response was sent to the client. */
  delivered: boolean;
}

/**
 * Why an upstream request was sent: for the response, to correct an unusable response (D-35), or for calls that another
 * model decided on (H-9).
 */
export type RequestPurpose = 'attempt' | 'correction' | 'delegation';

/** One request to a model server. Times are of `performance.now()`. */
export interface UpstreamRequest {
  readonly purpose: RequestPurpose;
  readonly route: Route;
  readonly sentAt: number;
  /** The first bytes of a stream, or the head of a whole response. */
  firstByteAt?: number;
  endedAt?: number;
  /** The HTTP status of its response. */
  status?: number;
  /** The code of the fault by which it failed. */
  failure?: FaultCode;
  /** Its response was complete, but without a usable call where one was intended. */
  unusable?: true;
}

/** One round of agent mode. */
export interface AgentRound {
  readonly text: string;
  readonly usage: Usage | undefined;
  /** How long the model took. */
  readonly tookMs: number;
  /** The calls that the gateway ran; none in the last round. */
  readonly runs: readonly {
    /** The MCP server; undefined: there is no such tool. */
    readonly server: string | undefined;
    readonly tool: string;
    readonly arguments: string;
    readonly result: string;
    readonly failed: boolean;
    /** `performance.now()`. */
    readonly startedAt: number;
    readonly tookMs: number;
  }[];
}

/** The limit by which agent mode ended before the model did. */
export type AgentLimit = 'rounds' | 'calls' | 'time' | 'loop' | 'tokens' | 'spend' | 'budget';

/** The attempts of a request. Written by `attempts/`. All members except the counts are those of the newest attempt. */
export class AttemptLog {
  count = 0;
  /**
   * How many of them belong to earlier rounds of agent mode, as the limit of attempts applies to each round. Written by
   * `agent/`.
   */
  earlier = 0;
  /** All upstream requests in order, failed ones included. Written by `upstream/`. */
  readonly requests: UpstreamRequest[] = [];
  /** The model in use: the requested one, or a fallback of it. */
  model: ModelEntry | undefined;
  route: Route | undefined;
  strategyUsed: StrategyUsed | undefined;
  /** The first attempt's. */
  strategyFirst: StrategyUsed | undefined;
  dialect: string | undefined;
  /** Tokens of the tool prompt, estimated. */
  toolPromptTokens: number | undefined;
  /** The body of the upstream request, for the transcript; undefined if bodies are not stored. */
  body: string | undefined;
  /** The model's raw output; undefined if it is not needed. */
  raw: RawAnswer | undefined;
  /** All attempts in order if a response was corrected or delegated, otherwise none. */
  tries: readonly Try[] = [];
  /** The rounds of agent mode in order; undefined without agent mode. */
  rounds: readonly AgentRound[] | undefined;
  /** The limit that ended agent mode; undefined: none. */
  agentLimit: AgentLimit | undefined;
  /** Parameters that were left out for the upstream. */
  dropped: readonly string[] = [];

  /** `purpose`: the purpose of its requests, unless they are corrections. */
  constructor(readonly purpose: RequestPurpose = 'attempt') {}
}
