import type { JsonObject } from './json.ts';

/** An offered tool. */
export interface Tool {
  readonly name: string;
  readonly description?: string;
  /** The client's JSON schema, in the client's key order; undefined if the client sent none. */
  readonly parameters?: JsonObject;
  readonly strict?: boolean;
  /** The model gets only its name and first sentence: `description` is that, and `parameters` accepts anything. */
  readonly brief?: true;
  /** How the client declared it, if not as a plain function: the response uses the same form. */
  readonly declared?: DeclaredTool;
  /** Unknown members, of the tool itself and of its `function`. */
  readonly extra?: { readonly tool?: JsonObject; readonly function?: JsonObject };
}

/**
 * A tool that is a plain function for the model and something else for the client: a `custom` tool takes free text (the
 * model gets one string parameter `input`); a `client-tool` is one that some models know by its type; a tool of a
 * namespace has its own name inside it.
 */
export interface DeclaredTool {
  readonly as: 'function' | 'custom' | 'client-tool';
  readonly name: string;
  readonly namespace?: string;
}

/** The offered tools, in the client's order, found by name. Requests that repeat their tools share one table. */
export class ToolTable {
  private readonly byName = new Map<string, Tool>();
  private derived: Map<string, unknown> | undefined;

  /** `only`: the tools that the client's `tool_choice` allows, including those of MCP servers; undefined: all. */
  constructor(
    readonly list: readonly Tool[] = [],
    readonly only?: { readonly names: readonly string[]; readonly servers: readonly string[] },
  ) {
    for (const tool of list) if (!this.byName.has(tool.name)) this.byName.set(tool.name, tool);
  }

  get size(): number {
    return this.byName.size;
  }

  get(name: string): Tool | undefined {
    return this.byName.get(name);
  }

  /** The length of the list as JSON text. */
  get jsonLength(): number {
    return this.derive('length', (list) => (list.length === 0 ? 0 : JSON.stringify(list).length));
  }

  /** What `make` returns, which must depend on nothing but these tools and `name`; it is made once. */
  derive<T>(name: string, make: (tools: readonly Tool[]) => T): T {
    this.derived ??= new Map();
    if (!this.derived.has(name)) this.derived.set(name, make(this.list));
    return this.derived.get(name) as T;
  }
}

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

/** One part of a message's content as the client sent it, e.g. `{type:'text',text}` or `{type:'image_url',…}`. */
export type Part = JsonObject;
export type Content = string | null | readonly Part[];

/** A past call. `arguments` is the client's string, unchanged. */
export interface PastCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** One message of the conversation; `extra` contains unknown fields. */
export type Message =
  | {
      readonly role: 'system' | 'developer' | 'user';
      readonly content: Content;
      readonly name?: string;
      readonly extra?: JsonObject;
    }
  | {
      readonly role: 'assistant';
      readonly content: Content;
      readonly reasoning?: string;
      readonly calls: readonly PastCall[];
      readonly name?: string;
      readonly extra?: JsonObject;
    }
  | {
      readonly role: 'tool';
      readonly callId: string;
      readonly content: Content;
      readonly name?: string;
      readonly extra?: JsonObject;
    };

/** An MCP server in a request. */
export interface RequestedServer {
  readonly name: string;
  /** Its path in the request, e.g. `tools[0]`. */
  readonly path: string;
  /** Names there of the tools to offer; undefined: all. */
  readonly allowed?: readonly string[];
  /** Names there of the tools that run without the client's approval. */
  readonly unapproved: 'all' | readonly string[];
}

/**
 * The client's reply to a call that waited for approval; the conversation contains the call, and a placeholder for its
 * result.
 */
export interface Approval {
  readonly id: string;
  readonly approved: boolean;
  readonly reason?: string;
}

/** One request, in the neutral form. */
export interface Turn {
  /** The public model name in the client's request. */
  readonly model: string;
  readonly messages: readonly Message[];
  readonly tools: ToolTable;
  readonly toolChoice: ToolChoice;
  /** False: at most one call in the response. */
  readonly parallel: boolean;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  /** The number of requested choices. */
  readonly n: number;
  /** Every other parameter, as the client sent it. */
  readonly sampling: JsonObject;
  /** Which of the parameters above the client set itself, by their chat-completions names; the rest are defaults. */
  readonly given?: readonly string[];
  /** It contains numbers that only `writeExact` writes unchanged. */
  readonly exactNumbers?: true;
  /** The MCP servers whose tools the client requests in the body. */
  readonly servers?: readonly RequestedServer[];
  /** Maximum calls of their tools. */
  readonly maxToolRuns?: number;
  /** The client's replies to calls that waited for its approval. */
  readonly approvals?: readonly Approval[];
  /** What no model server accepts and the inbound adapter left out; reported to the client in a header. */
  readonly dropped?: readonly string[];
  /** Data that the inbound adapter needs for its response, e.g. request fields that it echoes; never sent upstream. */
  readonly echo?: JsonObject;
}

/** True if the conversation holds past calls or tool results. */
export const hasToolHistory = (turn: Turn): boolean =>
  turn.messages.some(
    (message) => message.role === 'tool' || (message.role === 'assistant' && message.calls.length > 0),
  );

/** The text of a message's content: text parts joined by newlines, as model servers do; other parts are left out. */
export function textOf(content: Content): string {
  if (content === null) return '';
  if (typeof content === 'string') return content;
  return content.flatMap((part) => (typeof part.text === 'string' ? [part.text] : [])).join('\n');
}

/** Content of only text parts, joined to one string; anything else unchanged. */
export function plainContent(content: Content): Content {
  if (content === null || typeof content === 'string') return content;
  return content.every((part) => typeof part.text === 'string') ? textOf(content) : content;
}
