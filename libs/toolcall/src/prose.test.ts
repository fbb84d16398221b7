import { randomCuts } from '@callsmith/testing';
import { ToolTable } from '@callsmith/turn';
import { describe, expect, it } from 'vitest';
import { parseText } from './parse-text.ts';

const text = { type: 'string' };
const tool = (name: string, ...required: string[]) => ({
  name,
  parameters: { type: 'object', properties: Object.fromEntries(required.map((key) => [key, text])), required },
});
const tools = new ToolTable([
  tool('read_file', 'path'),
  tool('write_file', 'path', 'content'),
  tool('delete_file', 'path'),
  tool('list_files', 'path'),
  tool('bash', 'command'),
  tool('grep', 'pattern'),
  tool('get_weather', 'city'),
  tool('get_time'),
]);

const call = '{"name": "delete_file", "arguments": {"path": "a"}}';
const listed = `{"tool_calls": [${call}]}`;
const fenced = (inner: string, info = '') => `\`\`\`${info}\n${inner}\n\`\`\``;

/** Answers that talk of calls, or look like them, and call nothing. */
const answers: readonly string[] = [
  // a call is quoted
  '`[delete_file(path="a")]` is what I would call.',
  '`delete_file(path="a")` deletes it.',
  `\`${call}\` is the request.`,
  `"[delete_file(path='a')]" would be wrong here.`,
  '> [delete_file(path="a")]\n\nis what the other model wrote.',
  `> ${call}\n\nwas its answer.`,
  'The call [delete_file(path="a")] is pythonic syntax.',
  `It answers ${call} and stops.`,
  `A call is ${listed}.`,
  'I would write Tool: delete_file(path="a") there.',
  'It wrote "Action: delete_file" and then "Action Input: {}".',
  '- Tool: delete_file(path="a")\n- Tool: read_file(path="b")\n\nare the steps.',
  '| form | example |\n|---|---|\n| ReAct | Action: delete_file |\n| list | [delete_file(path="a")] |',
  // a call begins the answer, and prose follows
  '[delete_file(path="a")] is what I would call.',
  '[delete_file(path="a")] would do it.',
  '[delete_file(path="a")]\n\nThat would delete the file. Shall I?',
  '[delete_file(path="a"), read_file(path="b")] are two calls in one list.',
  'delete_file(path="a") is the call that deletes it.',
  `${call} is what I would send.`,
  `${call}\n\nThis is how a call looks. Do you want me to make it?`,
  `[${call}] is the array form.`,
  `${listed}\n\nis the form that OpenAI uses.`,
  `${call}\n${call}\n\nThese two are the same.`,
  'delete_file{"path": "a"} is how the stripped form begins.',
  'read_file\n{"path": "a"}\nis how functionary calls.',
  'functions.read_file:0{"path": "a"} is an id with its arguments.',
  'commentary to=functions.read_file json{"path": "a"} is the header without its markers.',
  'call:read_file{path:a} is the short form.',
  // examples in code
  `Like this:\n\n${fenced(call, 'json')}\n\nReplace the path.`,
  `Like this:\n\n${fenced(listed, 'json')}\n\nNote the array.`,
  `${fenced(listed, 'json')}\n\nNote the array.`,
  `${fenced('[delete_file(path="a")]', 'python')}\n\nis one list.`,
  `Write:\n${fenced('read_file(path="a.ts")\nwrite_file(path="b", content="c")', 'python')}\n`,
  `${fenced('Tool: delete_file(path="a")')}\nThat is the line.`,
  `Format:\n${fenced('Action: read_file\nAction Input: {"path": "x"}\nObservation: …')}\nThat is ReAct.`,
  `~~~\n${call}\n~~~\nThat is all.`,
  `In Cline:\n\n${fenced('<read_file>\n<path>a</path>\n</read_file>', 'xml')}\n\nand nothing else.`,
  `${fenced(`const sample = '${call}';`, 'ts')}\nis the fixture.`,
  `\`\`\`\`markdown\n${fenced(listed, 'json')}\n\`\`\`\`\nThe README says so.`,
  `1. Send:\n   ${fenced(call, 'json').replaceAll('\n', '\n   ')}\n2. Wait for the result.`,
  // JSON of the user's own
  '{"name": "Alice", "arguments": {"age": 3}}',
  '{"name": "read_file", "version": "1.0.0", "description": "a package"}',
  '{"city": "Rome", "temperature": 21}',
  '{"tool_calls": []}',
  '{"tool_calls": "none"}',
  '{"tool_calls": [{"name": "send_mail", "arguments": {"to": "a"}}]}',
  '[{"name": "Alice", "parameters": {"age": 3}}, {"name": "Bob", "parameters": {"age": 4}}]',
  '[{"type": "function", "function": {"name": "read_file", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}}]',
  '{"name": "read_file", "description": "reads", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}}',
  '{"action": "delete", "action_input": {"path": "a"}}',
  '{"name": "delete_file"}',
  '{"read_file": true, "write_file": false}',
  '{"files": [{"name": "delete_file", "size": 3}]}',
  '{"result": {"name": "read_file", "arguments": {"path": "a"}}}',
  '{"steps": ["read_file", "delete_file"]}',
  fenced('{"name": "Alice", "arguments": {"age": 3}}', 'json'),
  fenced('{"tool_calls": [{"name": "send_mail", "arguments": {"to": "a"}}]}', 'json'),
  // lists, numbers and Python of other names
  '[1, 2, 3]',
  '[1, 2, 3] is sorted.',
  '[]',
  '[[1, 2], [3, 4]]',
  '["read_file", "delete_file"]',
  '[print(x)]',
  '[print(x) for x in range(3)]',
  '[foo(a=1), bar(b=2)]',
  '[foo(a=1)]',
  'foo(a=1), foo(a=2)',
  '[read_file for read_file in tools]',
  '[x] read_file is done\n[ ] delete_file is not',
  '[read_file](docs/read_file.md) reads a file.',
  '[delete_file]: https://example.com/delete_file',
  '[1] read_file(path) reads a file.',
  'print(read_file("a"))\n',
  // lines that begin as the forms do
  'Tool: read_file is the one I prefer.\nTool: list_files comes second.',
  'Tool: none is needed.',
  'Tool: send_mail(to="a")',
  'The plan of action:\n\nAction: read_file would be the best choice here.\nWhich file?',
  'Tool: read_file (reads a file)',
  'Tool: read_file(path) reads a file.',
  'Tool: delete_file(path="a") would do it.',
  'I see:\nTool: delete_file(path="a") is the line.\nTool: read_file(path="b"), too.',
  'Action: delete_file\nAction Input: {"path": "a"} is what ReAct writes.',
  '<read_file><path>a</path></read_file> is how Cline calls.',
  'Gemma:\n```tool_code\nprint(read_file(path="a"))\n```\nand nothing else.',
  'Action: wait\nAction Input: none',
  'Action: read_file\n\nThe input is missing.',
  'Thought: I have all that I need.',
  'Observation: the file is empty.',
  'Final Answer: 42',
  'Tools that I have:\n<read_file> reads a file\n<write_file> writes a file\nWhich one do you want?',
  'Your config:\n\n<list_files>\n  <entry>a</entry>\n</list_files>\n\nlooks right.',
  'Use <read_file><path>a</path></read_file> for that.',
  'functions.read_file is a tool, to=functions.read_file a recipient.',
];

/** Dialects with markers of their own, so that none of these answers is a call in them. */
const dialects = ['auto', 'hermes', 'harmony', 'deepseek-v3-r1', 'qwen3-coder-xml', 'mistral-v11', 'kimi-k2', 'gemma4'];

const marked = `<tool_call>${call}</tool_call>`;
const callOf = (path: string) => ['delete_file', `{"path": "${path}"}`];

describe.each(['auto', 'hermes', 'glm-4.5', 'qwen3-coder-xml'])('marked calls in %s', (dialect) => {
  const read = (answer: string) => {
    const seen = new Set<string>();
    for (const holdBytes of [null, 0])
      for (const chunk of ['whole', 1, 3, randomCuts(answer, 1)] as const) {
        const { content, toolCalls } = parseText({
          text: answer,
          tools,
          dialect,
          chunk,
          finishReason: 'stop',
          holdBytes,
        });
        seen.add(JSON.stringify([content, toolCalls.map((one) => [one.name, one.arguments])]));
      }
    expect([...seen], answer).toHaveLength(1);
    return JSON.parse([...seen][0] as string) as [string | null, string[][]];
  };

  it.each([
    `Example: ${marked}\nand then the result is shown. Shall I do that?`,
    `**Example:** ${marked} deletes it.`,
    `For example ${marked} deletes it.`,
    `A call, e.g. ${marked}\nIt deletes the file.`,
    `The call would look like: ${marked}\nShall I make it?`,
    `Example:\n\n${marked}\nIt deletes the file.`,
    `**For example:**\r\n  ${marked}\r\nIt deletes the file.`,
    `A call looks like this: ${marked}\nShall I make it?`,
    `You call it like this: ${marked}\nThen the file is gone.`,
    `Tools are called like so: ${marked} and nothing else.`,
    `- ${marked} deletes a file\n`,
    `Calls:\n\n1. ${marked} deletes it\n2. ${marked} does so again\n`,
    `diff --git a/x b/x\n@@ -1,2 +1,2 @@\n- ${marked}\n+ ${marked}\n`,
    `--- a/x\n+++ b/x\n@@ -1 +1,3 @@\n a line\n\n+${marked}\n+${marked}`,
  ])('are text where they are shown: %s', (answer) => {
    expect(read(answer)).toEqual([answer, []]);
  });

  it.each([
    `I will delete the file: ${marked}\nI wait for the result.`,
    `I will: ${marked} now.`,
    `- first I delete it\n${marked}\nThat is it.`,
    `- ${marked}\nThat is it.`,
    `Example: ${marked}`,
    `Example:\n${marked}\n`,
    `I do it like this: ${marked}\nThen I wait.`,
    `The call looks like this:\n${marked}\nThen I wait.`,
    `Here is an example.\n\n${marked}\nThat is it.`,
    `Example: none.\n${marked}\nThat is it.`,
    `It looks like this file is old.\n${marked}\nThat is it.`,
    `This follows your example.\n${marked}\nThat is it.`,
    `@@ -1 +1 @@\n+ a line\n\nI delete it now.\n- ${marked}\nThat is it.`,
    `@@ -1 +1 @@\n+ a line\n${marked}\nThat is it.`,
    `+ ${marked}\nThat is it.`,
  ])('are calls: %s', (answer) => {
    expect(read(answer)[1]).toEqual([callOf('a')]);
  });
});

it('the answers are many, and differ', () => {
  expect(new Set(answers).size).toBe(answers.length);
  expect(answers.length).toBeGreaterThan(60);
});

describe.each(dialects)('the model speaks %s', (dialect) => {
  it.each(answers)('D-33 comes out byte for byte, with no call: %s', (answer) => {
    for (const dialectDeclared of dialect === 'auto' ? [true] : [true, false]) {
      for (const chunk of ['whole', 1, 3, randomCuts(answer, 1)] as const) {
        const read = parseText({ text: answer, tools, dialect, dialectDeclared, chunk, finishReason: 'stop' });
        expect({ content: read.content, calls: read.toolCalls }, String(dialectDeclared)).toEqual({
          content: answer,
          calls: [],
        });
      }
    }
  });
});
