import type { KeyEntry } from '@callsmith/data/snapshot';
import { namespacedToolName } from '@callsmith/protocols';
import { Fault, type Message, type ToolChoice, ToolTable, type Turn } from '@callsmith/turn';
import { agentHeader } from './requested-servers.ts';
import type { HostedTool, ToolHost } from './tool-host.ts';

/** A tool that is on offer to a model. */
export interface OfferedTool extends HostedTool {
  /** It runs once the client has approved the call. */
  readonly needsApproval: boolean;
}

/** A turn with the tools that the gateway runs for it. */
export interface AgentTurn {
  readonly turn: Turn;
  /** Those tools, by the name that the model knows. */
  readonly hosted: ReadonlyMap<string, OfferedTool>;
}

/** What a request's header asks for: the tools of all servers, or of those of these names. */
type Servers = 'all' | readonly string[];

/**
 * Adds to a turn the tools of the servers that it asks for, in its header or as tools, behind its own; of two tools of one
 * name the client's stays. Undefined: its key may use none. Throws where it names a server that its key may not use, or asks
 * for several answers.
 */
export async function offerTools(
  turn: Turn,
  servers: Servers,
  { host, key }: { readonly host: ToolHost | undefined; readonly key: KeyEntry },
): Promise<AgentTurn | undefined> {
  const granted = (await host?.list(key)) ?? [];
  if (servers !== 'all') for (const name of servers) checkServer(name, agentHeader, granted);
  for (const { name, path } of turn.servers ?? []) checkServer(name, `${path}.server_label`, granted);
  const hosted = granted
    .flatMap((tool) => offered(tool, servers, turn) ?? [])
    .filter(({ name }) => !turn.tools.get(name))
    // The same tools in the same order: a model server's cache of prompts depends on it.
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  if (hosted.length === 0) return undefined;
  if (turn.n > 1) throw new Fault('invalid_parameter', `n is ${turn.n}; in agent mode it must be 1.`, { param: 'n' });
  return {
    turn: {
      ...turn,
      toolChoice: choiceOf(turn.toolChoice, hosted),
      messages: underOfferedNames(turn.messages, hosted),
      tools: new ToolTable([...turn.tools.list, ...hosted.map(asTool)]),
    },
    hosted: new Map(hosted.map((tool) => [tool.name, tool])),
  };
}

/** Past calls by the names of today's tools, where their client knows them by server and tool. */
function underOfferedNames(messages: readonly Message[], hosted: readonly OfferedTool[]): readonly Message[] {
  const names = new Map(hosted.map(({ name, server, tool }) => [namespacedToolName(server, tool), name]));
  for (const [name, offered] of names) if (name === offered) names.delete(name);
  if (names.size === 0) return messages;
  return messages.map((message) =>
    message.role === 'assistant' && message.calls.some(({ name }) => names.has(name))
      ? { ...message, calls: message.calls.map((call) => ({ ...call, name: names.get(call.name) ?? call.name })) }
      : message,
  );
}

/** Where a request names a server among its tools, its settings there decide. */
function offered(tool: HostedTool, servers: Servers, turn: Turn): OfferedTool | undefined {
  if (!isAllowed(tool, turn)) return undefined;
  const asked = turn.servers?.find(({ name }) => name === tool.server);
  if (asked === undefined)
    return servers === 'all' || servers.includes(tool.server) ? { ...tool, needsApproval: false } : undefined;
  const { allowed, unapproved } = asked;
  if (allowed && !allowed.includes(tool.tool)) return undefined;
  return { ...tool, needsApproval: unapproved !== 'all' && !unapproved.includes(tool.tool) };
}

const isAllowed = ({ name, server, tool }: HostedTool, { tools: { only } }: Turn): boolean =>
  only === undefined ||
  only.servers.includes(server) ||
  only.names.includes(name) ||
  only.names.includes(namespacedToolName(server, tool));

/** A choice by the name of today's tool. */
function choiceOf(choice: ToolChoice, hosted: readonly OfferedTool[]): ToolChoice {
  if (typeof choice !== 'object') return choice;
  const named = hosted.find(({ server, tool }) => namespacedToolName(server, tool) === choice.name);
  return named ? { name: named.name } : choice;
}

function checkServer(name: string, param: string, granted: readonly HostedTool[]): void {
  const servers = [...new Set(granted.map(({ server }) => server))].sort();
  if (servers.includes(name)) return;
  throw new Fault(
    'invalid_parameter',
    `${param} names ${JSON.stringify(name.slice(0, 100))}, but this key may use no tool of an MCP server of that name. Servers: ${servers.join(', ') || 'none'}.`,
    { param },
  );
}

const asTool = ({ name, description, parameters }: HostedTool) => ({
  name,
  ...(description !== undefined && { description }),
  ...(parameters && { parameters }),
});
