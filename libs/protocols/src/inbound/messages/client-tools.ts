import type { JsonObject, Tool } from '@callsmith/turn';

const text = (description: string): JsonObject => ({ type: 'string', description });

const choice = (...commands: string[]): JsonObject => ({ type: 'string', enum: commands });

const parameters = (properties: JsonObject, required: string[]): JsonObject => ({
  type: 'object',
  properties,
  required,
});

const lines: JsonObject = {
  type: 'array',
  items: { type: 'integer' },
  description: 'For view: the first and the last line; -1 is the end.',
};

/** Tools that run at the client and that Claude knows without a description: other models get their parameters. */
const known: readonly { readonly type: RegExp; readonly tool: Pick<Tool, 'description' | 'parameters'> }[] = [
  {
    type: /^bash_\d{8}$/,
    tool: {
      description: 'Runs a command in a bash session that stays open between calls.',
      parameters: parameters(
        {
          command: text('The command to run. Required unless the session is restarted.'),
          restart: { type: 'boolean', description: 'True restarts the session.' },
        },
        [],
      ),
    },
  },
  {
    type: /^text_editor_\d{8}$/,
    tool: {
      description: 'Views, creates and edits text files.',
      parameters: parameters(
        {
          command: choice('view', 'create', 'str_replace', 'insert'),
          path: text('Absolute path of the file or folder.'),
          view_range: lines,
          file_text: text('For create: the content of the new file.'),
          old_str: text('For str_replace: the text to replace; it must occur exactly once.'),
          new_str: text('For str_replace: the new text. For insert in older versions: the text to insert.'),
          insert_line: {
            type: 'integer',
            description: 'For insert: the line after which the text is put; 0 is the top.',
          },
          insert_text: text('For insert: the text to insert.'),
        },
        ['command', 'path'],
      ),
    },
  },
  {
    type: /^memory_\d{8}$/,
    tool: {
      description: 'Reads and writes files in /memories that last between conversations.',
      parameters: parameters(
        {
          command: choice('view', 'create', 'str_replace', 'insert', 'delete', 'rename'),
          path: text('Path of the file or folder, below /memories. For all commands but rename.'),
          view_range: lines,
          file_text: text('For create: the content of the new file.'),
          old_str: text('For str_replace: the text to replace; it must occur exactly once.'),
          new_str: text('For str_replace: the new text.'),
          insert_line: {
            type: 'integer',
            description: 'For insert: the line after which the text is put; 0 is the top.',
          },
          insert_text: text('For insert: the text to insert.'),
          old_path: text('For rename: the path as it is.'),
          new_path: text('For rename: the path as it is to be.'),
        },
        ['command'],
      ),
    },
  },
];

/** The function for a tool of this type; undefined for a type that does not run at the client. */
export const clientTool = (type: string): Pick<Tool, 'description' | 'parameters'> | undefined =>
  known.find((one) => one.type.test(type))?.tool;
