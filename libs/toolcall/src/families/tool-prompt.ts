import { type PastCall, type Tool, type ToolChoice, type ToolTable, writeJson } from '@callsmith/turn';

/** A tool as it is shown to a model. Only the keys round the schema are ours; the schema keeps the client's order (D-15). */
export const toolJson = (tool: Tool): string => {
  const description = tool.description === undefined ? '' : `,"description":${JSON.stringify(tool.description)}`;
  const parameters = tool.brief ? '' : `,"parameters":${writeJson(tool.parameters ?? {})}`;
  return `{"type":"function","function":{"name":${JSON.stringify(tool.name)}${description}${parameters}}}`;
};

/** The tool prompt of every dialect: the tools as JSON, the form of a call, the rules, and what this turn asks for. */
export function toolPrompt(tools: ToolTable, choice: ToolChoice, form: string, rules: readonly string[] = []): string {
  return [
    '# Tools',
    '',
    'You may call one or more of these tools. Each line is one tool, with its parameters as a JSON schema:',
    '<tools>',
    ...tools.list.map(toolJson),
    '</tools>',
    '',
    'To call a tool, answer in exactly this form:',
    form,
    '',
    'Rules:',
    '- Use only tools from the list, by their exact names, and give every required parameter.',
    '- Say what you are about to do before the call if it helps; write nothing after the last call.',
    '- Never write the result of a call yourself; it will be given to you.',
    '- If no tool is needed, answer in plain text.',
    ...rules.map((rule) => `- ${rule}`),
    ...choiceLine(choice),
  ].join('\n');
}

/** One line for what `tool_choice` asks; none for `auto`. */
function choiceLine(choice: ToolChoice): string[] {
  if (choice === 'auto') return [];
  if (choice === 'none') return ['Do not call any tool in this answer.'];
  if (choice === 'required') return ['You must call a tool in this answer.'];
  return [`You must call the tool ${JSON.stringify(choice.name)} in this answer.`];
}

/** The arguments of a past call as JSON text that can stand inside other JSON. */
export const argumentsJson = (call: PastCall): string => (call.arguments.trim() === '' ? '{}' : call.arguments.trim());

/** The example call of the tool prompts. */
export const example: PastCall = {
  id: 'call_example',
  name: 'tool_name',
  arguments: '{"parameter_1": "value", "parameter_2": 20}',
};
