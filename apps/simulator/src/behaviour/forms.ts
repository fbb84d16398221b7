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
}

/** The forms, the more telling ones first: `<tool_call>` alone belongs to several, so hermes stands behind its relatives. */
const forms: readonly Form[] = [
  { dialect: 'qwen3-coder-xml', taught: /<tool_call>\s*<function=/, call: /<function=/g },
  { dialect: 'seed-oss', taught: /<seed:tool_call>/, call: /<function=/g },
  { dialect: 'functionary-v3.1', taught: /<function=[\w$-]+>\s*\{|<function=[^>]*>\{/, call: /<function=/g },
  { dialect: 'glm-4.7', taught: /<tool_call>[\w-]+<arg_key>/, call: /<tool_call>/g },
  { dialect: 'glm-4.5', taught: /<arg_key>/, call: /<tool_call>/g },
  { dialect: 'minimax-m2', taught: /<minimax:tool_call>/, call: /<invoke /g },
  { dialect: 'deepseek-v3.2', taught: /<｜DSML｜function_calls>/, call: /<｜DSML｜invoke /g },
  { dialect: 'deepseek-v4', taught: /<｜DSML｜tool_calls>/, call: /<｜DSML｜invoke /g },
  { dialect: 'deepseek-v3', taught: /<｜tool▁call▁begin｜>function<｜tool▁sep｜>/, call: /<｜tool▁call▁begin｜>/g },
  { dialect: 'deepseek-v3.1', taught: /<｜tool▁calls▁begin｜>/, call: /<｜tool▁call▁begin｜>/g },
  { dialect: 'kimi-k3', taught: /<\|open\|>tools<\|sep\|>/, call: /<\|open\|>call /g },
  { dialect: 'kimi-k2', taught: /<\|tool_calls?_section_begin\|>/, call: /<\|tool_call_begin\|>/g },
  { dialect: 'mistral-v11', taught: /\[TOOL_CALLS\][\w$-]+\[ARGS\]|\[ARGS\]/, call: /\[TOOL_CALLS\]/g },
  { dialect: 'mistral-array', taught: /\[TOOL_CALLS\]/, call: /"name"\s*:/g },
  { dialect: 'lmstudio-default', taught: /\[TOOL_REQUEST\]/, call: /\[TOOL_REQUEST\]/g },
  { dialect: 'harmony', taught: /<\|channel\|>commentary to=/, call: /to=functions\./g },
  { dialect: 'gemma4', taught: /<\|tool_call>call:/, call: /<\|tool_call>/g },
  { dialect: 'functiongemma', taught: /<start_function_call>/, call: /<start_function_call>/g },
  { dialect: 'hermes', taught: /<tool_call>/, call: /<tool_call>/g },
  { dialect: 'granite-3', taught: /<\|tool_call\|>/, call: /"name"\s*:/g, silent: true },
  { dialect: 'nemotron-toolcall', taught: /<TOOLCALL>/, call: /"name"\s*:/g },
  { dialect: 'phi4-mini', taught: /functools\[/, call: /"name"\s*:/g, silent: true },
  { dialect: 'internlm2', taught: /<\|action_start\|>/, call: /<\|action_start\|>/g },
  { dialect: 'llama3-json', taught: /<\|python_tag\|>/, call: /"name"\s*:/g, silent: true },
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

/** The form of the dialect with this name. */
export const formNamed = (dialect: string): Form | undefined => forms.find((form) => form.dialect === dialect);

/** The form that a system text teaches; a model trained in `preferred` takes that where the text has it. */
export function taughtForm(system: string, preferred: string | undefined): Form | undefined {
  const own = preferred === undefined ? undefined : formNamed(preferred);
  if (own?.taught.test(system)) return own;
  return forms.find((form) => form.taught.test(system));
}

/** The calls in an answer's text, each from its opening to the next one's. */
export function pastCalls(form: Form, text: string): string[] {
  const starts = [...text.matchAll(form.call)].map((match) => match.index);
  return starts.map((start, at) => text.slice(start, starts[at + 1]));
}
