import type { ModelEntry } from '@callsmith/data/snapshot';
import { Fault, type Turn } from '@callsmith/turn';

/** The header that turns agent mode on: `on`, `off`, or the names of servers, separated by commas. */
export const agentHeader = 'x-callsmith-agent';

/**
 * The servers whose tools the gateway should run for a request, by its header: all that its key may use, or those of
 * these names in addition to those listed among its tools. Undefined: agent mode is off. Throws `invalid_parameter` if
 * servers are requested and the model's setting forbids agent mode.
 */
export function requestedServers(
  header: string | readonly string[] | undefined,
  { servers = [] }: Pick<Turn, 'servers'>,
  { name, agent }: Pick<ModelEntry, 'name' | 'agent'>,
): 'all' | readonly string[] | undefined {
  const value = (typeof header === 'string' ? header : header?.join(','))?.trim() ?? '';
  const named =
    value === '' || value === 'on' || value === 'off' ? [] : value.split(',').map((server) => server.trim());
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
  if (value === 'on' || (value === '' && agent.value === 'always')) return 'all';
  return named.length > 0 || tool ? named : undefined;
}
