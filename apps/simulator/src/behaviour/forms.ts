import { type Dialect, dialectNamed, dialects } from '@callsmith/toolcall';
import { ToolTable } from '@callsmith/turn';

/** A way of writing calls as text, as the simulator recognises it. */
export interface Form {
  /** The dialect's name. */
  readonly dialect: string;
  /** Found in a system text that teaches it. */
  readonly taught: RegExp;
  /** Where each past call starts in an answer's text. */
  readonly call: RegExp;
  /** True where nothing but calls may stand in an answer. */
  readonly silent?: boolean;
  /** True where an answer holds one call at most. */
  readonly single?: boolean;
  /** Several calls share one wrapper: what stands between two written by themselves (parted by NUL), and what is put there. */
  readonly seam?: { readonly between: RegExp; readonly glue: string };
}

/** The form that most models leak. */
export const hermesForm: Form = { dialect: 'hermes', taught: /<tool_call>/, call: /<tool_call>/g };

/** The forms, the more telling ones first: `<tool_call>` alone belongs to several, so hermes stands behind its relatives. */
const forms: readonly Form[] = [
  { dialect: 'qwen3-coder-xml', taught: /<tool_call>\s*<function=/, call: /<function=/g },
  { dialect: 'seed-oss', taught: /<seed:tool_call>/, call: /<function=/g },
  { dialect: 'functionary-v3.1', taught: /<function=[\w$-]+>\s*\{|<function=[^>]*>\{/, call: /<function=/g },
  { dialect: 'glm-4.7', taught: /<tool_call>[\w-]+<arg_key>/, call: /<tool_call>/g },
  { dialect: 'glm-4.5', taught: /<arg_key>/, call: /<tool_call>/g },
  {
    dialect: 'minimax-m2',
    taught: /<minimax:tool_call>/,
    call: /<invoke /g,
    seam: { between: /<\/minimax:tool_call>\0<minimax:tool_call>\n?/g, glue: '' },
  },
  {
    dialect: 'deepseek-v3.2',
    taught: /<｜DSML｜function_calls>/,
    call: /<｜DSML｜invoke /g,
    seam: { between: /<\/｜DSML｜function_calls>\0<｜DSML｜function_calls>\n?/g, glue: '' },
  },
  {
    dialect: 'deepseek-v4',
    taught: /<｜DSML｜tool_calls>/,
    call: /<｜DSML｜invoke /g,
    seam: { between: /<\/｜DSML｜tool_calls>\0<｜DSML｜tool_calls>\n?/g, glue: '' },
  },
  {
    dialect: 'deepseek-v3',
    taught: /<｜tool▁call▁begin｜>function<｜tool▁sep｜>/,
    call: /<｜tool▁call▁begin｜>/g,
    seam: { between: /<｜tool▁calls▁end｜>\0<｜tool▁calls▁begin｜>/g, glue: '\n' },
  },
  {
    dialect: 'deepseek-v3.1',
    taught: /<｜tool▁calls▁begin｜>/,
    call: /<｜tool▁call▁begin｜>/g,
    seam: { between: /<｜tool▁calls▁end｜>\0<｜tool▁calls▁begin｜>/g, glue: '' },
  },
  { dialect: 'kimi-k3', taught: /<\|open\|>tools<\|sep\|>/, call: /<\|open\|>call /g },
  {
    dialect: 'kimi-k2',
    taught: /<\|tool_calls?_section_begin\|>/,
    call: /<\|tool_call_begin\|>/g,
    seam: { between: /<\|tool_calls_section_end\|>\0<\|tool_calls_section_begin\|>/g, glue: '' },
  },
  {
    dialect: 'mistral-v11',
    taught: /\[TOOL_CALLS\][\w$-]+\[ARGS\]|\[ARGS\]/,
    call: /\[TOOL_CALLS\]/g,
    seam: { between: /\0(?=\[TOOL_CALLS\])/g, glue: '' },
  },
  {
    dialect: 'mistral-array',
    taught: /\[TOOL_CALLS\]/,
    call: /"name"\s*:/g,
    seam: { between: /\]\0\[TOOL_CALLS\]\s*\[/g, glue: ', ' },
  },
  { dialect: 'lmstudio-default', taught: /\[TOOL_REQUEST\]/, call: /\[TOOL_REQUEST\]/g },
  { dialect: 'harmony', taught: /<\|channel\|>commentary to=/, call: /to=functions\./g },
  { dialect: 'gemma4', taught: /<\|tool_call>call:/, call: /<\|tool_call>/g },
  { dialect: 'functiongemma', taught: /<start_function_call>/, call: /<start_function_call>/g },
  hermesForm,
  {
    dialect: 'granite-3',
    taught: /<\|tool_call\|>/,
    call: /"name"\s*:/g,
    silent: true,
    seam: { between: /\]\0<\|tool_call\|>\[/g, glue: ', ' },
  },
  {
    dialect: 'nemotron-toolcall',
    taught: /<TOOLCALL>/,
    call: /"name"\s*:/g,
    seam: { between: /\]<\/TOOLCALL>\0<TOOLCALL>\[/g, glue: ', ' },
  },
  {
    dialect: 'phi4-mini',
    taught: /functools\[/,
    call: /"name"\s*:/g,
    silent: true,
    seam: { between: /\]\0 ?functools\[/g, glue: ', ' },
  },
  { dialect: 'internlm2', taught: /<\|action_start\|>/, call: /<\|action_start\|>/g },
  {
    dialect: 'llama3-json',
    taught: /<\|python_tag\|>/,
    call: /"name"\s*:/g,
    silent: true,
    seam: { between: /\}\0<\|python_tag\|>\{/g, glue: '}; {' },
  },
  { dialect: 'lfm2', taught: /<\|tool_call_start\|>/, call: /\b[\w.-]+\(/g },
  { dialect: 'olmo3', taught: /<function_calls>\s*[\w.-]+\(/, call: /^(?:<function_calls>)?[\w.-]+\(/gm, silent: true },
  { dialect: 'anthropic', taught: /<function_calls>\s*<invoke /, call: /<invoke /g },
  { dialect: 'react', taught: /^Action Input:/m, call: /^Action:/gm, single: true },
  { dialect: 'fenced', taught: /```(?:json)?\s*\{\s*"tool_calls"/, call: /"name"\s*:/g },
  { dialect: 'bare-json', taught: /\{\s*"tool_calls"/, call: /"name"\s*:/g, silent: true },
  { dialect: 'tool-colon', taught: /^Tool: [\w<]/m, call: /^Tool: /gm },
  { dialect: 'pythonic', taught: /\[[\w.<>-]+\([\w<>]+=/, call: /\b[\w.-]+\(/g, silent: true },
];

/** Cline's own XML protocol, which its prompt teaches. */
export const clineForm: Form = {
  dialect: 'cline-flat-xml',
  taught: /<attempt_completion>/,
  call: /<(?:read_file|write_to_file|execute_command|attempt_completion)>/g,
  single: true,
};

/** The form of the dialect with this name; undefined if `libs/toolcall` does not write it. */
export function formNamed(name: string): Form | undefined {
  const dialect = dialectNamed(name);
  return dialect && (forms.find((form) => form.dialect === name) ?? plainForm(dialect));
}

/** A dialect that needs no form of its own is known by the words that open its calls. */
function plainForm(dialect: Dialect): Form {
  const words = dialect
    .opens(new ToolTable(), true)
    .map(({ word }) => word)
    .filter((word) => word !== '');
  const source =
    words.length === 0 ? '(?!)' : words.map((word) => word.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')).join('|');
  return { dialect: dialect.name, taught: new RegExp(source), call: new RegExp(source, 'g') };
}

/** The form that a system text teaches; a model trained in `preferred` takes that where the text has it. */
export function taughtForm(system: string, preferred: string | undefined): Form | undefined {
  const own = preferred === undefined ? undefined : formNamed(preferred);
  if (own?.taught.test(system)) return own;
  const known = [
    ...forms,
    ...dialects.filter(({ name }) => forms.every((form) => form.dialect !== name)).map(plainForm),
  ];
  return known.find((form) => form.taught.test(system) && dialectNamed(form.dialect) !== undefined);
}

/** The calls in an answer's text, each from its opening to the next one's. */
export function pastCalls(form: Form, text: string): string[] {
  const starts = [...text.matchAll(form.call)].map((match) => match.index);
  return starts.map((start, at) => text.slice(start, starts[at + 1]));
}
