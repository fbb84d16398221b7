import type { KeyEntry } from '@callsmith/data/snapshot';
import { Fault, ToolTable, type Turn } from '@callsmith/turn';
import { agentHeader } from './asked-servers.ts';
import type { HostedTool, ToolHost } from './tool-host.ts';

/** A turn with the tools that the gateway runs for it. */
export interface AgentTurn {
  readonly turn: Turn;
  /** Those tools, by the name that the model knows. */
  readonly hosted: ReadonlyMap<string, HostedTool>;
}

/**
 * Adds to a turn the tools of the servers that it asks for, behind its own; of two tools of one name the client's stays.
 * Undefined: its key may use none. Throws where it names a server that its key may not use, or asks for several answers.
 */
export async function offerTools(
  turn: Turn,
  servers: 'all' | readonly string[],
  { host, key }: { readonly host: ToolHost | undefined; readonly key: KeyEntry },
): Promise<AgentTurn | undefined> {
  const granted = (await host?.list(key)) ?? [];
  if (servers !== 'all') checkServers(servers, granted);
  const hosted = granted
    .filter(({ name, server }) => (servers === 'all' || servers.includes(server)) && !turn.tools.get(name))
    // The same tools in the same order: a model server's cache of prompts depends on it.
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  if (hosted.length === 0) return undefined;
  if (turn.n > 1) throw new Fault('invalid_parameter', `n is ${turn.n}; in agent mode it must be 1.`, { param: 'n' });
  return {
    turn: { ...turn, tools: new ToolTable([...turn.tools.list, ...hosted.map(asTool)]) },
    hosted: new Map(hosted.map((tool) => [tool.name, tool])),
  };
}

function checkServers(names: readonly string[], granted: readonly HostedTool[]): void {
  const servers = [...new Set(granted.map(({ server }) => server))].sort();
  for (const name of names)
    if (!servers.includes(name))
      throw new Fault(
        'invalid_parameter',
        `${agentHeader} names ${JSON.stringify(name.slice(0, 100))}, but this key may use no tool of an MCP server of that name. Servers: ${servers.join(', ') || 'none'}.`,
        { param: agentHeader },
      );
}

const asTool = ({ name, description, parameters }: HostedTool) => ({
  name,
  ...(description !== undefined && { description }),
  ...(parameters && { parameters }),
});
