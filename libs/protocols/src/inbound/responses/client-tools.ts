import { isObject, type JsonObject, type JsonValue, type Tool } from '@callsmith/turn';

/** A tool that OpenAI's models know without a description, and that runs at the client. */
export interface ClientTool {
  /** The description for a model that does not know it. */
  readonly tool: Required<Pick<Tool, 'description' | 'parameters'>>;
  /** The type of its call's item; with `_output` appended it is the type of the result. */
  readonly callType: string;
  /** The member of that item with the request. */
  readonly member: string;
  /** The other members of such an item. */
  readonly fixed?: JsonObject;
  /** That member, from the arguments' object. */
  write(args: JsonObject): JsonObject;
}

const text = (description: string): JsonObject => ({ type: 'string', description });
const texts = (description: string): JsonObject => ({ type: 'array', items: { type: 'string' }, description });
const milliseconds: JsonObject = { type: 'integer', description: 'Milliseconds after which it is stopped.' };

const strings = (value: JsonValue | undefined): JsonValue[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : typeof value === 'string' ? [value] : [];
const numberIn = (value: JsonValue | undefined): number | null => (typeof value === 'number' ? value : null);
const some = (args: JsonObject, ...names: string[]): JsonObject =>
  Object.fromEntries(names.flatMap((name) => (args[name] === undefined ? [] : [[name, args[name]]])));

/** By the type in their declaration. */
const known: ReadonlyMap<string, ClientTool> = new Map([
  [
    'shell',
    {
      tool: {
        description: 'Runs shell commands, each in a shell of its own.',
        parameters: {
          type: 'object',
          properties: {
            commands: texts('The commands.'),
            timeout_ms: milliseconds,
            max_output_length: { type: 'integer', description: 'Characters of output that are kept.' },
          },
          required: ['commands'],
        },
      },
      callType: 'shell_call',
      member: 'action',
      write: (args) => ({
        commands: strings(args.commands),
        timeout_ms: numberIn(args.timeout_ms),
        max_output_length: numberIn(args.max_output_length),
      }),
    },
  ],
  [
    'local_shell',
    {
      tool: {
        description: 'Runs a program.',
        parameters: {
          type: 'object',
          properties: {
            command: texts('The program and its arguments.'),
            working_directory: text('Where it runs.'),
            timeout_ms: milliseconds,
            env: { type: 'object', additionalProperties: { type: 'string' }, description: 'Environment variables.' },
          },
          required: ['command'],
        },
      },
      callType: 'local_shell_call',
      member: 'action',
      write: (args) => ({
        type: 'exec',
        command: strings(args.command),
        env: isObject(args.env) ? args.env : {},
        ...some(args, 'working_directory', 'timeout_ms'),
      }),
    },
  ],
  [
    'tool_search',
    {
      tool: {
        description: 'Finds tools for a task. Those that are found can be called from then on.',
        parameters: {
          type: 'object',
          properties: { query: text('What the tools are to do.') },
          required: ['query'],
        },
      },
      callType: 'tool_search_call',
      member: 'arguments',
      fixed: { execution: 'client' },
      write: (args) => args,
    },
  ],
  [
    'apply_patch',
    {
      tool: {
        description: 'Creates, changes or deletes one file.',
        parameters: {
          type: 'object',
          properties: {
            type: { type: 'string', enum: ['create_file', 'update_file', 'delete_file'] },
            path: text('The path of the file.'),
            diff: text(
              'For create_file: every line of the file with + before it. For update_file: hunks that begin with @@, with lines that stay, - and + before the others.',
            ),
          },
          required: ['type', 'path'],
        },
      },
      callType: 'apply_patch_call',
      member: 'operation',
      write: (args) => some(args, 'type', 'path', 'diff'),
    },
  ],
]);

/** The tool of this type, if it runs at the client. */
export const clientTool = (type: string): ClientTool | undefined => known.get(type);

/** The type of the tool whose calls are items of this type. */
export const calledTool = (itemType: string): { readonly name: string; readonly tool: ClientTool } | undefined => {
  for (const [name, tool] of known) if (tool.callType === itemType) return { name, tool };
  return undefined;
};

/** True for the type of an item that is a client tool's result. */
export const isClientResult = (itemType: string): boolean =>
  itemType.endsWith('_output') && calledTool(itemType.slice(0, -'_output'.length)) !== undefined;

/** A client tool's result, as text: a shell's outputs with their exit codes, or whether a patch was applied. */
export function clientResult({ output, status }: JsonObject): JsonValue | undefined {
  if (Array.isArray(output) && output.every((one) => isObject(one) && 'stdout' in one))
    return output.map((one) => shellOutput(one as JsonObject)).join('\n');
  return status === 'failed' ? `Error: ${typeof output === 'string' ? output : 'failed'}` : (output ?? 'Done.');
}

function shellOutput({ stdout, stderr, outcome }: JsonObject): string {
  const exit =
    isObject(outcome) && typeof outcome.exit_code === 'number' ? `exit code ${outcome.exit_code}` : 'timeout';
  return [stdout, stderr, exit].filter((part) => typeof part === 'string' && part !== '').join('\n');
}
