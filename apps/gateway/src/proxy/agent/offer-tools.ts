import type { KeyEntry } from '@callsmith/data/snapshot';
import { namespacedToolName } from '@callsmith/protocols';
import { Fault, type Message, type ToolChoice, ToolTable, type Turn } from '@callsmith/turn';
import { agentHeader } from './requested-servers.ts';
import type { HostedTool, ToolHost } from './tool-host.ts';

/** A tool that is on offer to a model. */
export interface OfferedTool extends HostedTool {
  /** A call of it runs only after the client has approved it. */
  readonly needsApproval: boolean;
}

/** A turn with the tools that the gateway runs for it. */
export interface AgentTurn {
  readonly turn: Turn;
  /** The tools that the gateway runs, by the name that the model sees. */
  readonly hosted: ReadonlyMap<string, OfferedTool>;
}

/** The servers that a request's header selects: all, or those of these names. */
type Servers = 'all' | readonly string[];

/**
 * Adds the tools of the requested servers to a turn, after the client's own; a client's tool replaces one of the same
 * name. Undefined if the key may use none of them. Throws `invalid_parameter` for a server that the key may not use,
 * and for `n` above 1.
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
    // Always in the same order, as the model server's prefix cache depends on it.
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

/** Renames past calls that the client knows by server and tool to the names that are offered now. */
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

/**
 * A tool as it is offered; undefined: it is not. If the request lists the tool's server among its tools, the settings
 * there apply.
 */
function offered(tool: HostedTool, servers: Servers, turn: Turn): OfferedTool | undefined {
  if (!isAllowed(tool, turn)) return undefined;
  const requested = turn.servers?.find(({ name }) => name === tool.server);
  if (requested === undefined)
    return servers === 'all' || servers.includes(tool.server) ? { ...tool, needsApproval: false } : undefined;
  const { allowed, unapproved } = requested;
  if (allowed && !allowed.includes(tool.tool)) return undefined;
  return { ...tool, needsApproval: unapproved !== 'all' && !unapproved.includes(tool.tool) };
}

const isAllowed = ({ name, server, tool }: HostedTool, { tools: { only } }: Turn): boolean =>
  only === undefined ||
  only.servers.includes(server) ||
  only.names.includes(name) ||
  only.names.includes(namespacedToolName(server, tool));

/** A tool choice, with the name that is offered now. */
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
