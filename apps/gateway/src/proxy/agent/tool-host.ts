import type { KeyEntry } from '@callsmith/data/snapshot';
import type { JsonObject, Tool } from '@callsmith/turn';

/** A tool of an MCP server, as it is offered to a model. */
export interface HostedTool {
  /** Unique among all tools of a key, at most 64 characters: `server__tool`. */
  readonly name: string;
  /** The server's name. */
  readonly server: string;
  /** The tool's name on the server. */
  readonly tool: string;
  readonly description?: Tool['description'];
  /** The JSON schema of its arguments. */
  readonly parameters?: Tool['parameters'];
}

/** The result of a tool, as text. `isError`: the tool reported that it failed. */
export interface HostedResult {
  readonly text: string;
  readonly isError: boolean;
}

/** Lists and runs the tools of MCP servers. Both methods reject with a `Fault` that says what went wrong. */
export interface ToolHost {
  /** The tools that a key may use. */
  list(key: KeyEntry): Promise<readonly HostedTool[]>;
  /** Runs a tool for a key. `signal` is aborted when the result is no longer needed. */
  call(
    tool: HostedTool,
    args: JsonObject,
    options: { readonly key: KeyEntry; readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<HostedResult>;
}
