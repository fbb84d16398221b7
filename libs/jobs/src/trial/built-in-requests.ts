import type { BuiltInName } from '@callsmith/contracts';

/** A built-in request as a client of `/v1/chat/completions` would send it, except for the model. */
export function builtInRequest(name: BuiltInName): string {
  switch (name) {
    case 'one-call':
      return request('Read the file src/main.ts with the tool, then tell me what it does.');
    case 'three-calls':
      return request(
        'Read the three files README.md, package.json and src/main.ts in parallel: call the tool three times in this one answer, once for each file.',
      );
    case 'long-argument':
      return request(
        `Write the file notes/quoting.md with the tool. Its content is exactly the text between the two lines of dashes, every character as it stands, all line breaks included:\n-----\n${hardText()}\n-----`,
      );
  }
}

function request(content: string): string {
  return JSON.stringify({
    messages: [
      { role: 'system', content: 'You are a coding assistant. Work with the tools you are given.' },
      { role: 'user', content },
    ],
    tools: [readFile, writeFile],
    stream: true,
    max_tokens: 4096,
  });
}

const text = (description: string) => ({ type: 'string', description });

const readFile = tool('read_file', 'Reads a file.', { path: text('The path of the file.') });
const writeFile = tool('write_file', 'Writes a file.', {
  path: text('The path of the file.'),
  content: text('All that the file is to hold.'),
});

function tool(name: string, description: string, properties: Readonly<Record<string, object>>) {
  const parameters = { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
  return { type: 'function', function: { name, description, parameters } };
}

// Text that breaks handwritten JSON: quotes in quotes, backslashes, tabs, braces, surrogate pairs.
function hardText(): string {
  const lines = [
    '# Quoting 🔧',
    'She said: "It\'s \\"fine\\"" – and left 👋🏽.',
    'Windows: C:\\Users\\näme\\new\\table.json',
    'const pattern = /^"(?:[^"\\\\]|\\\\.)*"$/u;',
    'echo "{\\"a\\": [1, 2, {\\"b\\": \\"}]\\"}]}" | sed \'s/\\\\/\\//g\'',
    '\tindented by a tab, `code`, $(command), <tag attr="x">&amp;</tag>',
  ];
  return Array.from({ length: 6 }, (_, n) => [`## Part ${n + 1}`, ...lines].join('\n')).join('\n\n');
}
