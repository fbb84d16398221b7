import { type Dialect, dialectNamed, dialects, parseText } from '@callsmith/toolcall';
import { ToolTable } from '@callsmith/turn';
import type { OfferedTool } from './offered-tool.ts';

/** How a model writes its calls as text. */
export interface Form {
  /** The dialect's name in `libs/toolcall`; `cline` for Cline's own protocol. */
  readonly dialect: string;
  /**
   * A text in other products' prompts that describe it; those of `libs/toolcall` are recognized by their tool prompt.
   */
  readonly promptPattern?: RegExp;
  /** A response may contain nothing but calls. */
  readonly callsOnly?: boolean;
  /** A response has at most one call. */
  readonly oneCall?: boolean;
  /**
   * Several calls share one wrapper: the text between two separately written calls (separated by NUL), and its
   * replacement.
   */
  readonly joint?: { readonly between: RegExp; readonly glue: string };
}

/** The form that models leak most often. */
export const hermesForm: Form = { dialect: 'hermes', promptPattern: /<tool_call>/ };

/** Cline's own XML protocol, which its prompt describes. */
export const clineForm: Form = { dialect: 'cline', oneCall: true };

/**
 * Peculiarities of how a dialect is written; the more specific first, because `<tool_call>` alone belongs to several.
 */
const forms: readonly Form[] = [
  { dialect: 'qwen3-coder-xml', promptPattern: /<tool_call>\s*<function=/ },
  { dialect: 'glm-4.5', promptPattern: /<arg_key>/ },
  {
    dialect: 'minimax-m2',
    promptPattern: /<minimax:tool_call>/,
    joint: { between: /<\/minimax:tool_call>\0<minimax:tool_call>\n?/g, glue: '' },
  },
  {
    dialect: 'deepseek-v3.2-dsml',
    promptPattern: /<｜DSML｜function_calls>/,
    joint: { between: /<\/｜DSML｜function_calls>\0<｜DSML｜function_calls>\n?/g, glue: '' },
  },
  {
    dialect: 'deepseek-v4-dsml',
    promptPattern: /<｜DSML｜tool_calls>/,
    joint: { between: /<\/｜DSML｜tool_calls>\0<｜DSML｜tool_calls>\n?/g, glue: '' },
  },
  {
    dialect: 'deepseek-v3-r1',
    promptPattern: /<｜tool▁call▁begin｜>function<｜tool▁sep｜>/,
    joint: { between: /<｜tool▁calls▁end｜>\0<｜tool▁calls▁begin｜>/g, glue: '\n' },
  },
  {
    dialect: 'deepseek-v3.1',
    promptPattern: /<｜tool▁calls▁begin｜>/,
    joint: { between: /<｜tool▁calls▁end｜>\0<｜tool▁calls▁begin｜>/g, glue: '' },
  },
  {
    dialect: 'kimi-k2',
    promptPattern: /<\|tool_calls?_section_begin\|>/,
    joint: { between: /<\|tool_calls_section_end\|>\0<\|tool_calls_section_begin\|>/g, glue: '' },
  },
  { dialect: 'mistral-v11', promptPattern: /\[ARGS\]/, joint: { between: /\0(?=\[TOOL_CALLS\])/g, glue: '' } },
  { dialect: 'mistral-callid', joint: { between: /\0(?=\[TOOL_CALLS\])/g, glue: '' } },
  {
    dialect: 'mistral-array',
    promptPattern: /\[TOOL_CALLS\]/,
    joint: { between: /\]\0\[TOOL_CALLS\]\[/g, glue: ', ' },
  },
  { dialect: 'lmstudio-default', promptPattern: /\[TOOL_REQUEST\]/ },
  hermesForm,
  { dialect: 'granite-3', callsOnly: true, joint: { between: /\]\0<\|tool_call\|>\[/g, glue: ', ' } },
  { dialect: 'nemotron-toolcall', joint: { between: /\]<\/TOOLCALL>\0<TOOLCALL>\[/g, glue: ', ' } },
  { dialect: 'jamba', joint: { between: /\]<\/tool_calls>\0<tool_calls>\[/g, glue: ', ' } },
  { dialect: 'hunyuan-a13b', joint: { between: /\]<\/tool_calls>\0<tool_calls>\[/g, glue: ', ' } },
  { dialect: 'apertus', joint: { between: /\]<\|tools_suffix\|>\0<\|tools_prefix\|>\[/g, glue: ', ' } },
  { dialect: 'phi4-mini', callsOnly: true, joint: { between: /\]\0functools\[/g, glue: ', ' } },
  { dialect: 'llama3-json', callsOnly: true, oneCall: true },
  { dialect: 'pythonic-llama', callsOnly: true, joint: { between: /\]\0\[/g, glue: ', ' } },
  {
    dialect: 'pythonic-olmo3',
    callsOnly: true,
    joint: { between: /<\/function_calls>\0<function_calls>/g, glue: '\n' },
  },
  { dialect: 'xlam', callsOnly: true, joint: { between: /\]\0\[/g, glue: ', ' } },
  { dialect: 'bare-json', callsOnly: true },
  {
    dialect: 'fenced-tool-calls-json',
    promptPattern: /\{\s*"tool_calls"/,
    joint: { between: /\]\}\n```\0```json\n\{"tool_calls": \[/g, glue: ', ' },
  },
  { dialect: 'gigachat3', oneCall: true },
  { dialect: 'react', promptPattern: /^Action Input:/m, oneCall: true },
  { dialect: 'harmony', oneCall: true },
];

/** The form of the dialect with this name; undefined if `libs/toolcall` has no such dialect. */
export function formNamed(name: string): Form | undefined {
  if (dialectNamed(name) === undefined) return undefined;
  return forms.find((form) => form.dialect === name) ?? { dialect: name };
}

/** True for a form with arguments as one JSON object. */
export function writesJson(form: Form): boolean {
  const sample = '{"key":"value"}';
  return (
    dialectNamed(form.dialect)?.renderCall({ id: 'call_1a', name: 'tool', arguments: sample }).includes(sample) === true
  );
}

/** The form that a system text describes; a model trained in `preferred` takes that if the text describes it. */
export function promptedForm(system: string, preferred: string | undefined): Form | undefined {
  const own = preferred === undefined ? undefined : formNamed(preferred);
  if (own !== undefined && teaches(system, own)) return own;
  const lesson = dialects.find((dialect) => hasLesson(system, dialect));
  if (lesson !== undefined) return formNamed(lesson.name);
  return forms.find((form) => form.promptPattern?.test(system) === true && dialectNamed(form.dialect) !== undefined);
}

function teaches(system: string, form: Form): boolean {
  const dialect = dialectNamed(form.dialect);
  return (dialect !== undefined && hasLesson(system, dialect)) || form.promptPattern?.test(system) === true;
}

/** A dialect's tool prompt, in one of its shapes, from the end of the list of tools: the same for any tools. */
const hasLesson = (system: string, dialect: Dialect): boolean =>
  shapes.some((shape) => {
    const lesson = dialect.renderToolPrompt(new ToolTable(), shape);
    return system.includes(lesson.slice(Math.max(0, lesson.indexOf('</tools>'))));
  });

const shapes = [{}, { parallel: false }, { short: true }, { parallel: false, short: true }];

const clineCall = /<(?:read_file|write_to_file|execute_command|attempt_completion)>/g;

/** The calls in a response's text, each as its name and arguments. */
export function pastCalls(form: Form, text: string, tools: readonly OfferedTool[]): string[] {
  if (form === clineForm) {
    const starts = [...text.matchAll(clineCall)].map((match) => match.index);
    return starts.map((start, at) => text.slice(start, starts[at + 1]));
  }
  const table = new ToolTable(tools.map((tool) => ({ name: tool.name, parameters: tool.schema })));
  const read = parseText({ text, tools: table, dialect: form.dialect, chunk: 'whole', finishReason: 'stop' });
  return read.toolCalls.map((call) => `${call.name} ${call.arguments}`);
}
