import type { JsonObject } from './json.ts';
import type { Tool } from './turn.ts';
import type { Action, FindingClass, FindingStage, TokenSource } from './vocabulary.ts';

/** Why a choice ended, as reported to the client. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter';

/** UTF-16 offsets [start, end) in a text. */
export type Range = readonly [start: number, end: number];

/** An observation about a choice: for observers, never sent to clients. */
export interface Finding {
  /** Why it is not clean; undefined for a remark that leaves the call clean. */
  readonly class?: FindingClass;
  /** The rule that repaired it, kebab-case, from the closed set of `libs/toolcall`. */
  readonly rule?: string;
  readonly action?: Action;
  readonly stage: FindingStage;
  /** The repair needed a guess. */
  readonly guess?: boolean;
  /** The call it is about: its position in the response, dropped calls included. */
  readonly call?: number;
  /** Name the model used for that call. */
  readonly tool?: string;
  /** In the choice's raw text (for native calls: in that call's argument text); empty if something was missing. */
  readonly range?: Range;
  readonly detail?: string;
}

interface OfChoice {
  /** Which of the `n` choices; 0 if there is one. */
  readonly choice: number;
  /** Unknown fields of the upstream's delta, passed on; at a start the response's, at an end the choice's. */
  readonly extra?: JsonObject;
}

/** What the gateway does with tools of MCP servers in agent mode, for APIs that report it to their clients. */
export type McpEvent = { readonly choice: number } & (
  | {
      readonly type: 'mcp-tools';
      /** The server's name. */
      readonly server: string;
      /** The offered tools, by their names there. */
      readonly tools: readonly Pick<Tool, 'name' | 'description' | 'parameters'>[];
    }
  | ({ readonly type: 'mcp-call' } & McpCall)
  /** `failed`: `text` is the error. */
  | { readonly type: 'mcp-result'; readonly id: string; readonly text: string; readonly failed: boolean }
  /** It runs once the client has approved it. */
  | ({ readonly type: 'mcp-approval' } & McpCall)
);

/** A call of an MCP server's tool, by its name there; `approval`: the approval request that allowed it. */
export interface McpCall {
  readonly id: string;
  readonly server: string;
  readonly name: string;
  readonly arguments: string;
  readonly approval?: string;
}

export const isMcpEvent = (event: { readonly type: string }): event is McpEvent => event.type.startsWith('mcp-');

/** The output of a turn, one piece at a time. */
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
  /** `whole` is false if the call was cut while it was already streaming. */
  | ({ readonly type: 'tool-end'; readonly index: number; readonly whole: boolean } & OfChoice)
  | ({ readonly type: 'usage' } & Usage & OfChoice)
  | ({ readonly type: 'note'; readonly note: Finding } & OfChoice)
  /** `answer`: unknown fields of the whole response that came after its first piece. */
  | ({ readonly type: 'turn-end'; readonly reason: FinishReason; readonly answer?: JsonObject } & OfChoice);

/** Token counts of a turn. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens?: number;
  readonly source: TokenSource;
  /** The upstream's own usage object, unchanged. */
  readonly upstream?: JsonObject;
}

/**
 * A native call, or a fragment of one, exactly as in the upstream's delta. Any field may be missing or wrong;
 * `libs/toolcall` assembles whole calls.
 */
export interface CallFragment {
  readonly type: 'call-fragment';
  readonly choice: number;
  readonly index?: number;
  readonly id?: string;
  readonly name?: string;
  /** The expected string, or whatever else the upstream sent. */
  readonly arguments?: unknown;
}

/** An upstream's output before calls are parsed. */
export type UpstreamEvent = TurnEvent | CallFragment;
