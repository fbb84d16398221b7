import type { FindingClass } from '@callsmith/turn';

interface RuleRow {
  readonly class: FindingClass;
  /** `prefix`: applicable while the call already streams; `whole`: only while it is held (D-11). */
  readonly runs: 'prefix' | 'whole';
  /** The meaning was guessed, not certain. */
  readonly guess: boolean;
  readonly description: string;
}

/** Every repair. The names are API: notes, metrics and the dashboard use them. */
export const rules = {
  'close-wrapper': {
    class: 'BadFraming',
    runs: 'prefix',
    guess: false,
    description: "The call's closing marker was missing.",
  },
  'open-wrapper': {
    class: 'BadFraming',
    runs: 'prefix',
    guess: false,
    description: "The call's opening marker was missing.",
  },
  'drop-stray-close': {
    class: 'BadFraming',
    runs: 'prefix',
    guess: false,
    description: 'A closing marker that closes nothing was left out.',
  },
  'drop-closers': {
    class: 'InvalidJson',
    runs: 'prefix',
    guess: false,
    description: 'Brackets after the complete arguments were left out.',
  },
  'keep-inner-close': {
    class: 'BadFraming',
    runs: 'prefix',
    guess: false,
    description: 'A closing tag inside a value was read as text.',
  },
  'close-parameter': {
    class: 'BadFraming',
    runs: 'prefix',
    guess: false,
    description: "A parameter's closing tag was missing.",
  },
  'open-value': {
    class: 'BadFraming',
    runs: 'prefix',
    guess: false,
    description: "A value's opening tag was missing.",
  },
  'tolerate-tag': {
    class: 'BadFraming',
    runs: 'prefix',
    guess: false,
    description: 'A tag was written in another way.',
  },
  'ascii-marker': {
    class: 'BadFraming',
    runs: 'prefix',
    guess: false,
    description: 'A marker was written with ASCII bars or underscores.',
  },
  'strip-fence': {
    class: 'BadFraming',
    runs: 'prefix',
    guess: false,
    description: 'A code fence stood round the call.',
  },
  'foreign-wrapper': {
    class: 'BadFraming',
    runs: 'prefix',
    guess: true,
    description: "The call stood in another dialect's wrapper.",
  },
  'restore-markers': {
    class: 'BadFraming',
    runs: 'prefix',
    guess: true,
    description: 'The server had stripped the special tokens.',
  },
  'unescape-markup': {
    class: 'BadFraming',
    runs: 'whole',
    guess: true,
    description: 'The whole call, or its arguments, were HTML-escaped.',
  },
  'end-reasoning': {
    class: 'BadFraming',
    runs: 'whole',
    guess: false,
    description: 'The call stood in reasoning that was never closed.',
  },
  'promote-reasoning': {
    class: 'CallInReasoning',
    runs: 'whole',
    guess: true,
    description: 'The call stood in reasoning that was closed; the model is set to have such calls made.',
  },
  'drop-invented-result': {
    class: 'BadFraming',
    runs: 'prefix',
    guess: false,
    description: 'The model went on with a result of its own; it was cut there.',
  },
  'drop-turn-token': {
    class: 'BadFraming',
    runs: 'prefix',
    guess: false,
    description: 'A turn-end token at the end of the text was left out.',
  },
  'split-calls': {
    class: 'BadFraming',
    runs: 'prefix',
    guess: false,
    description: 'Calls glued into one slot were parted.',
  },
  'renumber-calls': {
    class: 'BadFraming',
    runs: 'prefix',
    guess: false,
    description: 'The index was missing or wrong.',
  },
  'stringify-arguments': {
    class: 'BadFraming',
    runs: 'prefix',
    guess: false,
    description: 'Arguments came as a value, not as a string.',
  },
  'unwrap-call': {
    class: 'BadFraming',
    runs: 'prefix',
    guess: false,
    description: 'The call stood in another object.',
  },
  'argument-key': {
    class: 'BadFraming',
    runs: 'prefix',
    guess: false,
    description: 'Name or arguments came under another key.',
  },
  'add-closers': {
    class: 'InvalidJson',
    runs: 'prefix',
    guess: false,
    description: 'Closing brackets were missing at the closing marker.',
  },
  'escape-control': {
    class: 'InvalidJson',
    runs: 'prefix',
    guess: false,
    description: 'Raw control characters in a string were escaped.',
  },
  'keep-backslash': {
    class: 'InvalidJson',
    runs: 'prefix',
    guess: false,
    description: 'A backslash that escapes nothing was kept as one.',
  },
  'drop-backslash': {
    class: 'InvalidJson',
    runs: 'prefix',
    guess: false,
    description: 'A backslash before an apostrophe was left out.',
  },
  'drop-quote': {
    class: 'InvalidJson',
    runs: 'prefix',
    guess: false,
    description: 'A quote that opens nothing, behind a number or a literal, was left out.',
  },
  'double-quotes': {
    class: 'InvalidJson',
    runs: 'prefix',
    guess: false,
    description: 'Strings stood in other quotes.',
  },
  'straighten-quotes': {
    class: 'InvalidJson',
    runs: 'prefix',
    guess: true,
    description: 'Typographic quotes delimited strings.',
  },
  'python-literals': {
    class: 'InvalidJson',
    runs: 'prefix',
    guess: false,
    description: 'True, False or None stood for true, false or null.',
  },
  'quote-keys': { class: 'InvalidJson', runs: 'prefix', guess: false, description: 'Keys had no quotes.' },
  'quote-values': { class: 'InvalidJson', runs: 'whole', guess: true, description: 'Values had no quotes.' },
  'drop-comments': { class: 'InvalidJson', runs: 'prefix', guess: false, description: 'Comments were left out.' },
  'drop-commas': { class: 'InvalidJson', runs: 'prefix', guess: false, description: 'Surplus commas were left out.' },
  'add-commas': {
    class: 'InvalidJson',
    runs: 'prefix',
    guess: false,
    description: 'Commas were missing between members.',
  },
  'skip-invisible': {
    class: 'InvalidJson',
    runs: 'prefix',
    guess: false,
    description: 'Invisible characters around the structure were left out.',
  },
  'mend-numbers': {
    class: 'InvalidJson',
    runs: 'prefix',
    guess: false,
    description: 'Numbers were written in another way.',
  },
  'escape-inner-quotes': {
    class: 'InvalidJson',
    runs: 'whole',
    guess: true,
    description: 'Quotes inside a string were not escaped.',
  },
  'decode-arguments': {
    class: 'InvalidJson',
    runs: 'whole',
    guess: false,
    description: 'The arguments were JSON inside a string.',
  },
  'extract-arguments': {
    class: 'InvalidJson',
    runs: 'prefix',
    guess: false,
    description: 'Other text around the arguments object was left out.',
  },
  'wrap-input': {
    class: 'InvalidJson',
    runs: 'whole',
    guess: false,
    description: 'The argument text is beyond repair; it went out as input.',
  },
  'strip-prefix': {
    class: 'UnknownName',
    runs: 'prefix',
    guess: false,
    description: 'A namespace stood before the name.',
  },
  'trim-name': {
    class: 'UnknownName',
    runs: 'prefix',
    guess: false,
    description: 'The name had quotes, space or a marker at its end.',
  },
  'read-call-id': {
    class: 'UnknownName',
    runs: 'prefix',
    guess: false,
    description: 'The name was read from a rewritten call id.',
  },
  'fold-name': {
    class: 'UnknownName',
    runs: 'prefix',
    guess: true,
    description: 'The name is like exactly one offered tool.',
  },
  'infer-tool': {
    class: 'UnknownName',
    runs: 'whole',
    guess: true,
    description: 'Exactly one offered tool takes these arguments.',
  },
  'no-arguments': {
    class: 'MissingArguments',
    runs: 'whole',
    guess: false,
    description: 'No arguments came and none are required.',
  },
  'retype-scalar': {
    class: 'SchemaMismatch',
    runs: 'whole',
    guess: false,
    description: "A value was written as its schema's type.",
  },
  'parse-nested': {
    class: 'SchemaMismatch',
    runs: 'whole',
    guess: false,
    description: 'An object or array had been written as a string.',
  },
  'value-as-text': {
    class: 'SchemaMismatch',
    runs: 'whole',
    guess: false,
    description: 'An object stood where its text belongs, such as the content of a JSON file.',
  },
  'call-as-text': {
    class: 'SchemaMismatch',
    runs: 'prefix',
    guess: true,
    description: 'A call stood as the value of a text parameter; its text was taken.',
  },
  'drop-null': {
    class: 'SchemaMismatch',
    runs: 'whole',
    guess: false,
    description: 'An optional parameter that may not be null was null; it was left out.',
  },
  'drop-undeclared': {
    class: 'SchemaMismatch',
    runs: 'prefix',
    guess: false,
    description: 'A parameter that the tool does not declare was left out.',
  },
  'wrap-in-array': {
    class: 'SchemaMismatch',
    runs: 'whole',
    guess: true,
    description: 'A single value stood where a list belongs.',
  },
  'match-enum': {
    class: 'SchemaMismatch',
    runs: 'whole',
    guess: true,
    description: 'A value differed from an allowed one by case or space only.',
  },
  'unwrap-array': {
    class: 'SchemaMismatch',
    runs: 'whole',
    guess: true,
    description: 'The arguments stood in a list of one.',
  },
  'sole-parameter': {
    class: 'SchemaMismatch',
    runs: 'whole',
    guess: true,
    description: "The text was taken for the tool's only required parameter.",
  },
  'positional-arguments': {
    class: 'SchemaMismatch',
    runs: 'whole',
    guess: true,
    description: 'Arguments without names were taken in the order of the schema.',
  },
  'collect-repeated': {
    class: 'SchemaMismatch',
    runs: 'whole',
    guess: false,
    description: 'A repeated parameter became a list.',
  },
  'foreign-dialect': {
    class: 'LeakedCall',
    runs: 'prefix',
    guess: true,
    description: "The call came in another dialect than the model's.",
  },
} as const satisfies Record<string, RuleRow>;

export type Rule = keyof typeof rules;

/** True if this is the name of a repair. */
export const isRule = (name: string): name is Rule => Object.hasOwn(rules, name);

/**
 * A repair that was made: its rule and its range in the choice's raw text (UTF-16 offsets); `from` equals `to` where
 * something was missing. Without a range it applies to the call as a whole.
 */
export interface Repair {
  readonly rule: Rule;
  from: number | undefined;
  to: number | undefined;
}
