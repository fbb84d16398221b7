type Schema = Readonly<Record<string, unknown>>;

const string = { type: 'string' };
const boolean = { type: 'boolean' };
const integer = { type: 'integer' };
const listOf = (items: Schema): Schema => ({ type: 'array', items });
const object = (properties: Readonly<Record<string, Schema>>, required: readonly string[]): Schema => ({
  type: 'object',
  properties,
  required,
});
const tool = (
  name: string,
  description: string,
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[] = Object.keys(properties),
) => ({ type: 'function', function: { name, description, parameters: object(properties, required) } });

const finish = tool('attempt_completion', 'Ends the task with its result.', { result: string });
const listFiles = tool('list_files', 'Lists a directory.', { path: string, recursive: boolean }, ['path']);
const searchFiles = tool(
  'search_files',
  'Searches files by a regular expression.',
  { path: string, regex: string, file_pattern: string },
  ['path', 'regex'],
);
const writeToFile = tool('write_to_file', 'Writes a whole file.', { path: string, content: string });

/** Tools that coding clients offer, by client: their names and arguments, with shortened descriptions. */
export const toolTemplates: Readonly<Record<string, readonly object[]>> = {
  Cline: [
    tool('read_file', 'Reads a file.', { path: string }),
    writeToFile,
    tool('replace_in_file', 'Changes parts of a file by SEARCH/REPLACE blocks.', { path: string, diff: string }),
    tool('execute_command', 'Runs a command.', { command: string, requires_approval: boolean }),
    searchFiles,
    listFiles,
    finish,
  ],
  'Kilo Code': [
    tool('read_file', 'Reads one or more files.', { files: listOf(object({ path: string }, ['path'])) }),
    writeToFile,
    tool('apply_diff', 'Changes parts of a file by SEARCH/REPLACE blocks.', { path: string, diff: string }),
    tool('execute_command', 'Runs a command.', { command: string, cwd: string }, ['command']),
    searchFiles,
    listFiles,
    finish,
  ],
  opencode: [
    tool('read', 'Reads a file.', { filePath: string, offset: integer, limit: integer }, ['filePath']),
    tool('write', 'Writes a whole file.', { filePath: string, content: string }),
    tool(
      'edit',
      'Replaces text in a file.',
      { filePath: string, oldString: string, newString: string, replaceAll: boolean },
      ['filePath', 'oldString', 'newString'],
    ),
    tool('bash', 'Runs a command.', { command: string, description: string, timeout: integer }, [
      'command',
      'description',
    ]),
    tool('grep', 'Searches the content of files.', { pattern: string, path: string, include: string }, ['pattern']),
    tool('glob', 'Finds files by a pattern.', { pattern: string, path: string }, ['pattern']),
    tool('todowrite', 'Keeps the list of what is to be done.', {
      todos: listOf(
        object(
          {
            content: string,
            status: { type: 'string', enum: ['pending', 'in_progress', 'completed', 'cancelled'] },
            priority: { type: 'string', enum: ['high', 'medium', 'low'] },
          },
          ['content', 'status', 'priority'],
        ),
      ),
    }),
  ],
  Codex: [
    tool(
      'shell',
      'Runs a command and returns its output.',
      { command: listOf(string), workdir: string, timeout_ms: integer },
      ['command'],
    ),
    tool('apply_patch', 'Edits files by a patch.', { input: string }),
    tool(
      'update_plan',
      'Updates the plan of the task.',
      {
        explanation: string,
        plan: listOf(
          object({ step: string, status: { type: 'string', enum: ['pending', 'in_progress', 'completed'] } }, [
            'step',
            'status',
          ]),
        ),
      },
      ['plan'],
    ),
    tool('view_image', 'Looks at an image file.', { path: string }),
  ],
};
