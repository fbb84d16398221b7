import type { ModelEntry } from '@callsmith/data/snapshot';
import { Fault } from '@callsmith/turn';

/** The header by which a request asks for agent mode: `on`, `off`, or names of servers with commas between them. */
export const agentHeader = 'x-callsmith-agent';

/**
 * Which servers' tools a request wants to be run by the gateway: all that its key may use, or those of these names.
 * Undefined: none. Throws where it names servers and its model's setting does not allow it.
 */
export function askedServers(
  header: string | readonly string[] | undefined,
  { name, agent }: Pick<ModelEntry, 'name' | 'agent'>,
): 'all' | readonly string[] | undefined {
  const said = typeof header === 'string' ? header.trim() : header?.join(',');
  switch (said) {
    case undefined:
    case '':
      return agent.value === 'always' ? 'all' : undefined;
    case 'off':
      return undefined;
    case 'on':
      return agent.value === 'off' ? undefined : 'all';
    default:
      if (agent.value === 'off')
        throw new Fault(
          'invalid_parameter',
          `${agentHeader} is ${JSON.stringify(said.slice(0, 100))}, but agent mode is off for ${name}. Leave the header out, or have an admin change the model's setting.`,
          { param: agentHeader },
        );
      return said.split(',').map((server) => server.trim());
  }
}
