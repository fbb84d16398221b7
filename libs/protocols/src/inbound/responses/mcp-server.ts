import { Fault, isObject, type JsonObject, type JsonValue, type RequestedServer } from '@callsmith/turn';
import { invalidValue } from '../../checks.ts';

/** What makes a server known to the service that runs it; here an admin registers servers. */
const registered = ['server_url', 'connector_id', 'headers', 'authorization'];

/**
 * Reads a tool of type `mcp`: a server by its `server_label`, its tools narrowed by `allowed_tools` (names, or
 * `{tool_names}`), and `require_approval` (`always`, which is the default, `never`, or `{always, never}` with `{tool_names}`
 * each). Throws for what only registering a server would decide, by name.
 */
export function readMcpServer(tool: JsonObject, path: string): RequestedServer {
  for (const name of registered)
    if (tool[name] !== undefined && tool[name] !== null)
      throw new Fault(
        'invalid_parameter',
        `${path}.${name}: MCP servers are registered by an admin here, with their address and credentials. Leave it out, and name a server by server_label.`,
        { param: `${path}.${name}` },
      );
  const { server_label: name } = tool;
  if (typeof name !== 'string' || name === '')
    throw invalidValue(`${path}.server_label`, name, "the server's name as a string");
  const allowed = namesIn(tool.allowed_tools, `${path}.allowed_tools`);
  return {
    name,
    path,
    ...(allowed && { allowed }),
    unapproved: unapproved(tool.require_approval, `${path}.require_approval`),
  };
}

function namesIn(value: JsonValue | undefined, path: string): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined;
  const names = isObject(value) ? (value.tool_names ?? []) : value;
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string'))
    throw invalidValue(path, value, 'an array of names, or {"tool_names": […]}');
  return names;
}

function unapproved(value: JsonValue | undefined, path: string): RequestedServer['unapproved'] {
  if (value === 'never') return 'all';
  if (value === undefined || value === null || value === 'always') return [];
  if (!isObject(value)) throw invalidValue(path, value, '"always", "never" or {"always": …, "never": …}');
  const always = namesIn(value.always, `${path}.always`) ?? [];
  return (namesIn(value.never, `${path}.never`) ?? []).filter((name) => !always.includes(name));
}
