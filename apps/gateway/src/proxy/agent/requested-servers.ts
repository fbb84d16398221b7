import type { ModelEntry } from '@callsmith/data/snapshot';
import { Fault, type Turn } from '@callsmith/turn';

/** The header by which a request asks for agent mode: `on`, `off`, or names of servers with commas between them. */
export const agentHeader = 'x-callsmith-agent';

/**
 * Which servers' tools a request wants to be run by the gateway, by its header: all that its key may use, or those of these
 * names; beside them those that stand among its tools. Undefined: none. Throws where it names servers and its model's
 * setting does not allow it.
 */
export function requestedServers(
  header: string | readonly string[] | undefined,
  { servers = [] }: Pick<Turn, 'servers'>,
  { name, agent }: Pick<ModelEntry, 'name' | 'agent'>,
): 'all' | readonly string[] | undefined {
  const said = (typeof header === 'string' ? header : header?.join(','))?.trim() ?? '';
  const named = said === '' || said === 'on' || said === 'off' ? [] : said.split(',').map((server) => server.trim());
  const [tool] = servers;
  if (agent.value === 'off') {
    if (named.length === 0 && tool === undefined) return undefined;
    const param = tool ? `${tool.path}.type` : agentHeader;
    throw new Fault(
      'invalid_parameter',
      `${param}: agent mode is off for ${name}. Leave MCP servers out, or have an admin change the model's setting.`,
      { param },
    );
  }
  if (said === 'on' || (said === '' && agent.value === 'always')) return 'all';
  return named.length > 0 || tool ? named : undefined;
}
