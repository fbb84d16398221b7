import type { JsonObject } from './json.ts';
import type { Tool } from './turn.ts';
import type { Action, FindingClass, FindingStage, TokenSource } from './vocabulary.ts';

/** Why a choice ended, as the client is told. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter';

/** UTF-16 offsets [start, end) in a text. */
export type Range = readonly [start: number, end: number];

/** Something noticed about a choice: seen by observers, never sent to clients. */
export interface Finding {
  /** Why it is not clean; absent for a remark that leaves the call clean. */
  readonly class?: FindingClass;
  /** The rule that repaired it, kebab-case, from the closed set of `libs/toolcall`. */
  readonly rule?: string;
  readonly action?: Action;
  readonly stage: FindingStage;
  /** The mending needed a guess. */
  readonly guess?: boolean;
  /** The call it is about: its position in the answer, dropped calls included. */
  readonly call?: number;
  /** Name the model used for that call. */
  readonly tool?: string;
  /** In the choice's raw text (for native calls: in that call's argument text); empty where something was missing. */
  readonly range?: Range;
  readonly detail?: string;
}

interface OfChoice {
  /** Which of the `n` answers; 0 where there is one. */
  readonly choice: number;
  /** Fields of the upstream's delta that we do not know but pass on; at a start the answer's, at an end the choice's. */
  readonly extra?: JsonObject;
}

/** What the gateway does with tools of MCP servers in agent mode, for APIs that tell their clients of it. */
export type McpEvent = { readonly choice: number } & (
  | {
      readonly type: 'mcp-tools';
      /** The server's name. */
      readonly server: string;
      /** Those on offer, by their names there. */
      readonly tools: readonly Pick<Tool, 'name' | 'description' | 'parameters'>[];
    }
  | ({ readonly type: 'mcp-call' } & McpCall)
  /** `failed`: `text` says what went wrong. */
  | { readonly type: 'mcp-result'; readonly id: string; readonly text: string; readonly failed: boolean }
  /** It runs once the client has approved it. */
  | ({ readonly type: 'mcp-approval' } & McpCall)
);

/** A call of an MCP server's tool, by its name there; `approval`: the request for approval that let it run. */
export interface McpCall {
  readonly id: string;
  readonly server: string;
  readonly name: string;
  readonly arguments: string;
  readonly approval?: string;
}

export const isMcpEvent = (event: { readonly type: string }): event is McpEvent => event.type.startsWith('mcp-');

/** What is said in a turn, one piece at a time. */
export type TurnEvent =
  | McpEvent
  | ({
      readonly type: 'turn-start';
      readonly id: string;
      readonly model: string;
      readonly createdAt: number;
    } & OfChoice)
  | ({ readonly type: 'text-delta'; readonly text: string } & OfChoice)
  | ({ readonly type: 'reasoning-delta'; readonly text: string } & OfChoice)
  | ({ readonly type: 'tool-start'; readonly index: number; readonly id: string; readonly name: string } & OfChoice)
  /** All deltas of one call joined are one JSON object. */
  | ({ readonly type: 'tool-delta'; readonly index: number; readonly json: string } & OfChoice)
  /** `whole` is false where the call was cut while it was already streaming. */
  | ({ readonly type: 'tool-end'; readonly index: number; readonly whole: boolean } & OfChoice)
  | ({ readonly type: 'usage' } & Usage & OfChoice)
  | ({ readonly type: 'note'; readonly note: Finding } & OfChoice)
  /** `answer`: fields of the whole answer that we do not know and that came after its first piece. */
  | ({ readonly type: 'turn-end'; readonly reason: FinishReason; readonly answer?: JsonObject } & OfChoice);

/** Token counts of a turn. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens?: number;
  readonly source: TokenSource;
  /** The upstream's own usage object, kept as it came. */
  readonly upstream?: JsonObject;
}

/**
 * A native call, or a piece of one, exactly as the upstream's delta said it. Any field may be missing or wrong;
 * `libs/toolcall` makes whole calls of them.
 */
export interface CallFragment {
  readonly type: 'call-fragment';
  readonly choice: number;
  readonly index?: number;
  readonly id?: string;
  readonly name?: string;
  /** A string as it should be, or whatever else the upstream sent. */
  readonly arguments?: unknown;
}

/** What an upstream's stream says before calls are understood. */
export type UpstreamEvent = TurnEvent | CallFragment;
