import type { ModelEntry, Route } from '@callsmith/data/snapshot';
import type { FaultCode, FindingClass, Message, StrategyUsed, Usage } from '@callsmith/turn';
import type { RawAnswer } from './raw-answer.ts';

/** One of several tries at the same answer (D-35). */
export interface Try {
  /** Why its answer is of no use; empty where it is good, or where none came. */
  readonly classes: readonly FindingClass[];
  /** The messages about the answer before; empty where the same request was sent once more. */
  readonly messages: readonly Message[];
  /** The request as it went upstream; undefined where no bodies will be stored. */
  readonly body: string | undefined;
  readonly raw: RawAnswer | undefined;
  /** Its answer went to the client. */
  delivered: boolean;
}

/** Why an upstream request was sent: to answer, to ask again for an unusable answer (D-35), or for another model's calls (H-9). */
export type RequestPurpose = 'attempt' | 'correction' | 'delegation';

/** One request to a model server. Times are of `performance.now()`. */
export interface UpstreamRequest {
  readonly purpose: RequestPurpose;
  readonly route: Route;
  readonly sentAt: number;
  /** Of a stream: its first bytes; of a whole answer: its head. */
  firstByteAt?: number;
  endedAt?: number;
  /** HTTP status of its answer. */
  status?: number;
  /** Why it came to nothing. */
  failure?: FaultCode;
  /** Its answer was whole, but held no usable call where one was meant. */
  unusable?: true;
}

/** One round of agent mode. */
export interface AgentRound {
  readonly text: string;
  readonly usage: Usage | undefined;
  /** How long the model took. */
  readonly tookMs: number;
  /** The calls that were run for it; none where it was the last. */
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

/** Why an agent's model was asked for its last words before it ended by itself. */
export type AgentLimit = 'rounds' | 'calls' | 'time' | 'loop' | 'tokens' | 'spend' | 'budget';

/** What was tried. Written by `attempts/`; all but the count is the newest attempt's. */
export class AttemptLog {
  count = 0;
  /** Of these, those of an agent's earlier rounds: each round may be tried as often as the first. Written by `agent/`. */
  earlier = 0;
  /** All that was sent, in order, tries that were given up included. Written by `upstream/`. */
  readonly requests: UpstreamRequest[] = [];
  /** The model that was asked: the one asked for, or a fallback of it. */
  model: ModelEntry | undefined;
  route: Route | undefined;
  strategyUsed: StrategyUsed | undefined;
  /** The first attempt's. */
  strategyFirst: StrategyUsed | undefined;
  dialect: string | undefined;
  /** Tokens that the prompt strategy put into the request, estimated. */
  toolPromptTokens: number | undefined;
  /** For the transcript; undefined where no bodies will be stored. */
  body: string | undefined;
  /** What its model said; undefined where nobody asks for that. */
  raw: RawAnswer | undefined;
  /** All tries, in their order, where an answer was asked for again; else none. */
  tries: readonly Try[] = [];
  /** The rounds of agent mode, in their order; undefined: it is none. */
  rounds: readonly AgentRound[] | undefined;
  /** The bound that ended agent mode; undefined: none. */
  agentLimit: AgentLimit | undefined;
  /** Parameters that were left out for the upstream. */
  dropped: readonly string[] = [];

  /** `purpose`: why its first requests are sent. */
  constructor(readonly purpose: RequestPurpose = 'attempt') {}
}
