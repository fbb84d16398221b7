import { isObject, type JsonObject } from '@callsmith/turn';

/** A call as the model writes it; `raw` is its arguments' text, which a fault may have broken. */
export interface WrittenCall {
  readonly name: string;
  readonly arguments: JsonObject;
  readonly raw: string;
}

/** Writes calls as text in a dialect; the JSON of a tag dialect cannot be broken, so `raw` is ignored there. */
export function writeCalls(dialect: string, calls: readonly WrittenCall[]): string {
  return calls
    .map((call) =>
      dialect === 'qwen3-coder-xml' ? qwen(call) : dialect === 'cline-flat-xml' ? flat(call) : hermes(call),
    )
    .join('\n');
}

const hermes = (call: WrittenCall): string =>
  `<tool_call>\n{"name": ${JSON.stringify(call.name)}, "arguments": ${call.raw}}\n</tool_call>`;

function qwen(call: WrittenCall): string {
  const parameters = Object.entries(call.arguments).map(
    ([key, value]) => `<parameter=${key}>\n${plain(value)}\n</parameter>\n`,
  );
  return `<tool_call>\n<function=${call.name}>\n${parameters.join('')}</function>\n</tool_call>`;
}

function flat(call: WrittenCall): string {
  const parameters = Object.entries(call.arguments).map(([key, value]) => `<${key}>${plain(value)}</${key}>\n`);
  return `<${call.name}>\n${parameters.join('')}</${call.name}>`;
}

const plain = (value: unknown): string =>
  typeof value === 'string' ? value : isObject(value) || Array.isArray(value) ? JSON.stringify(value) : String(value);
