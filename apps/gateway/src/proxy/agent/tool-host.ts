import type { KeyEntry } from '@callsmith/data/snapshot';
import type { JsonObject, Tool } from '@callsmith/turn';

/** A tool of an MCP server, as it is offered to a model. */
export interface HostedTool {
  /** Unique among all tools of a key, at most 64 characters: `server__tool`. */
  readonly name: string;
  /** The server's name. */
  readonly server: string;
  /** Its name there. */
  readonly tool: string;
  readonly description?: Tool['description'];
  /** Its JSON schema. */
  readonly parameters?: Tool['parameters'];
}

/** What a tool returned, as text; `isError`: the tool itself says that it failed. */
export interface HostedResult {
  readonly text: string;
  readonly isError: boolean;
}

/** Where the tools of MCP servers are listed and run. Both throw a `Fault` that says what went wrong. */
export interface ToolHost {
  /** The tools that a key may use. */
  list(key: KeyEntry): Promise<readonly HostedTool[]>;
  /** Runs one for a key. `signal`: nobody waits for it any more. */
  call(
    tool: HostedTool,
    args: JsonObject,
    options: { readonly key: KeyEntry; readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<HostedResult>;
}
