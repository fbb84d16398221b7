import type { JsonObject } from './json.ts';

/** A tool on offer. */
export interface Tool {
  readonly name: string;
  readonly description?: string;
  /** The client's JSON schema, in the client's key order; absent where the client gave none. */
  readonly parameters?: JsonObject;
  readonly strict?: boolean;
  /** The model is shown its name and first sentence alone: `description` is that, and `parameters` takes anything. */
  readonly brief?: true;
  /** How the client declared it, where that was not a plain function: the front answers in the same form. */
  readonly declared?: DeclaredTool;
  /** Members that we do not know, of the tool itself and of its `function`. */
  readonly extra?: { readonly tool?: JsonObject; readonly function?: JsonObject };
}

/**
 * A tool that is a plain function for the model and something else for the client: a `custom` tool takes free text
 * (the model sees one string parameter `input`); a `client-tool` is one that some models know by its type; a tool of a
 * namespace has its own name inside it.
 */
export interface DeclaredTool {
  readonly as: 'function' | 'custom' | 'client-tool';
  readonly name: string;
  readonly namespace?: string;
}

/** The tools on offer, in the client's order, found by name. */
export class ToolTable {
  private readonly byName = new Map<string, Tool>();

  /** `only`: what the client's `tool_choice` narrows them to, tools of MCP servers included; absent: it does not. */
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
}

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

/** One part of a message's content as the client sent it, e.g. `{type:'text',text}` or `{type:'image_url',…}`. */
export type Part = JsonObject;
export type Content = string | null | readonly Part[];

/** A past call. `arguments` is the client's string, untouched. */
export interface PastCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** One message of the conversation; `extra` holds the fields we do not know. */
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

/** An MCP server that a request asks for. */
export interface RequestedServer {
  readonly name: string;
  /** Where it stands in the request, e.g. `tools[0]`. */
  readonly path: string;
  /** Names there of the tools to be offered; absent: all. */
  readonly allowed?: readonly string[];
  /** Names there of the tools that run without the client's approval. */
  readonly unapproved: 'all' | readonly string[];
}

/** The client's answer to a call that waited for it; the conversation holds the call, and a result to be put in place. */
export interface Approval {
  readonly id: string;
  readonly approved: boolean;
  readonly reason?: string;
}

/** One request, in our own neutral form. */
export interface Turn {
  /** The public model name that the client asked for. */
  readonly model: string;
  readonly messages: readonly Message[];
  readonly tools: ToolTable;
  readonly toolChoice: ToolChoice;
  /** False: at most one call in the answer. */
  readonly parallel: boolean;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  /** How many answers are asked for. */
  readonly n: number;
  /** Every other parameter, as the client sent it. */
  readonly sampling: JsonObject;
  /** Which of the parameters above the client named itself, by their chat-completions names; the rest are defaults. */
  readonly given?: readonly string[];
  /** It holds numbers that only `writeExact` writes as they came. */
  readonly exactNumbers?: true;
  /** The MCP servers whose tools the client asks for in the request itself. */
  readonly servers?: readonly RequestedServer[];
  /** How many calls of their tools may run. */
  readonly maxToolRuns?: number;
  /** What the client says to calls that waited for its approval. */
  readonly approvals?: readonly Approval[];
  /** What no model server takes and the front left out; told to the client in a header. */
  readonly dropped?: readonly string[];
  /** What the front needs again for its answer, e.g. request fields that it echoes; never sent upstream. */
  readonly echo?: JsonObject;
}

/** True if the conversation holds past calls or tool results. */
export const hasToolHistory = (turn: Turn): boolean =>
  turn.messages.some(
    (message) => message.role === 'tool' || (message.role === 'assistant' && message.calls.length > 0),
  );

/** The text of a message's content: text parts joined by newlines, as model servers do it; other parts are left out. */
export function textOf(content: Content): string {
  if (content === null) return '';
  if (typeof content === 'string') return content;
  return content.flatMap((part) => (typeof part.text === 'string' ? [part.text] : [])).join('\n');
}

/** Content with parts that are all text joined to one string; anything else as it is. */
export function plainContent(content: Content): Content {
  if (content === null || typeof content === 'string') return content;
  return content.every((part) => typeof part.text === 'string') ? textOf(content) : content;
}
