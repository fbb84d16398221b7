import { type PastCall, type Tool, type ToolTable, writeJson } from '@callsmith/turn';
import type { PromptShape } from '../dialect.ts';

/**
 * A tool as it is shown to a model. Only the keys around the schema are ours; the schema keeps the client's order
 * (D-15).
 */
export const toolJson = (tool: Tool): string => {
  const description = tool.description === undefined ? '' : `,"description":${JSON.stringify(tool.description)}`;
  const parameters = tool.brief ? '' : `,"parameters":${writeJson(tool.parameters ?? {})}`;
  return `{"type":"function","function":{"name":${JSON.stringify(tool.name)}${description}${parameters}}}`;
};

/** A rule for several calls in one answer: omitted for models that make one at a time. */
export const several = (text: string): Rule => ({ several: text });

/** One sentence of a tool prompt. */
export type Rule = string | { readonly several: string };

const generalRules: readonly Rule[] = [
  'Use only tools from the list, by their exact names, and give every required parameter.',
  'Say what you are about to do before the call if it helps; write nothing after the last call.',
  'Never write the result of a call yourself; it will be given to you.',
  'If no tool is needed, answer in plain text.',
];
/** For models with a small context. */
const shortRules: readonly Rule[] = [
  'Use only these tools, with every required parameter. Write nothing after a call; its result is given to you.',
];

/** The tool prompt of every dialect: the tools as JSON, the form of a call, and the rules. */
export function toolPrompt(
  tools: ToolTable,
  { parallel = true, short = false }: PromptShape,
  form: string,
  rules: readonly Rule[] = [],
): string {
  const allRules = [...(short ? shortRules : generalRules), ...rules];
  return [
    '# Tools',
    '',
    ...(short ? [] : [`You may call ${parallel ? 'one or more' : 'one'} of these tools. ${eachLine}`]),
    '<tools>',
    ...tools.list.map(toolJson),
    '</tools>',
    '',
    'To call a tool, answer in exactly this form:',
    form,
    '',
    'Rules:',
    ...allRules.flatMap((rule) => (typeof rule === 'string' ? [`- ${rule}`] : parallel ? [`- ${rule.several}`] : [])),
  ].join('\n');
}

const eachLine = 'Each line is one tool, with its parameters as a JSON schema:';

/** The arguments of a past call as JSON text that can be embedded in other JSON. */
export const argumentsJson = (call: PastCall): string => (call.arguments.trim() === '' ? '{}' : call.arguments.trim());

/** The example call of the tool prompts. */
export const example: PastCall = {
  id: 'call_example',
  name: 'tool_name',
  arguments: '{"parameter_1": "value", "parameter_2": 20}',
};
