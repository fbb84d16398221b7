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

/** The forms, the more telling ones first: `<tool_call>` alone belongs to several. */
const forms: readonly Form[] = [
  { dialect: 'qwen3-coder-xml', taught: /<function=/, call: /<function=/g },
  { dialect: 'hermes', taught: /<tool_call>/, call: /<tool_call>/g },
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
