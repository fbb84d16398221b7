import { dialectNamed } from '@callsmith/toolcall';
import { isObject, type JsonObject, parseJson } from '@callsmith/turn';
import type { Form } from './forms.ts';

/** A call as the model writes it; `raw` is the text of its arguments, which a fault may have broken. */
export interface WrittenCall {
  readonly name: string;
  readonly arguments: JsonObject;
  readonly raw: string;
}

/**
 * Writes a response's calls as text; `past` is the number of earlier calls in the conversation, for dialects that
 * count.
 */
export function writeCalls(form: Form, calls: readonly WrittenCall[], past = 0): string {
  const text = calls.map((call, at) => writeCall(form, call, past + at)).join(seam);
  const joined = form.joint === undefined ? text : text.replace(form.joint.between, form.joint.glue);
  return joined.replaceAll(seam, '\n');
}

const seam = '\0';

function writeCall(form: Form, call: WrittenCall, number: number): string {
  const dialect = dialectNamed(form.dialect);
  if (dialect === undefined) return flat(call);
  const clean = JSON.stringify(call.arguments);
  const text = dialect.renderCall({ id: `functions.${call.name}:${number}`, name: call.name, arguments: clean });
  if (call.raw === clean) return text;
  // Errors in the values, not in the JSON, remain errors in tags.
  if (isObject(parseJson(call.raw)))
    return dialect.renderCall({ id: `functions.${call.name}:${number}`, name: call.name, arguments: call.raw });
  // Tags contain no JSON to break: there the model omits the last closing tag.
  return text.includes(clean) ? text.replace(clean, () => call.raw) : text.replace(/\s*<\/[^<>]+>\s*$/, '');
}

// Cline's own protocol is not a dialect of the gateway, which passes it through.
function flat(call: WrittenCall): string {
  const parameters = Object.entries(call.arguments).map(
    ([key, value]) => `<${key}>${typeof value === 'string' ? value : JSON.stringify(value)}</${key}>\n`,
  );
  return `<${call.name}>\n${parameters.join('')}</${call.name}>`;
}
