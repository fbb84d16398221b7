import { Fault, isObject, type JsonObject, type JsonValue, type Part } from '@callsmith/turn';
import { invalidValue } from '../../checks.ts';
import { member } from './members.ts';

/**
 * A part in the form of chat completions, which is the neutral one; undefined: it has no content for a model server.
 * Throws `invalid_parameter`.
 */
export function readPart(part: JsonObject, at: string): Part | undefined {
  const inline = member(part, 'inlineData');
  const file = member(part, 'fileData');
  const code = member(part, 'executableCode');
  const result = member(part, 'codeExecutionResult');
  if (part.text !== undefined && part.text !== null) return { type: 'text', text: stringAt(part.text, `${at}.text`) };
  if (inline !== undefined) return inlinePart(objectAt(inline, `${at}.inlineData`), `${at}.inlineData`);
  if (file !== undefined) return linkedPart(objectAt(file, `${at}.fileData`), `${at}.fileData`);
  if (code !== undefined) {
    const { language, code: text } = objectAt(code, `${at}.executableCode`);
    const name = typeof language === 'string' ? language.toLowerCase() : '';
    return { type: 'text', text: `\`\`\`${name}\n${stringAt(text, `${at}.executableCode.code`)}\n\`\`\`` };
  }
  if (result === undefined) return undefined;
  const { output = '' } = objectAt(result, `${at}.codeExecutionResult`);
  return { type: 'text', text: stringAt(output, `${at}.codeExecutionResult.output`) };
}

/** The bytes of an image, a text or another file. */
function inlinePart(inline: JsonObject, at: string): Part {
  const type = stringAt(member(inline, 'mimeType'), `${at}.mimeType`, 'a media type as a string');
  const data = stringAt(inline.data, `${at}.data`, 'base64 as a string');
  if (type.startsWith('image/')) return { type: 'image_url', image_url: { url: `data:${type};base64,${data}` } };
  if (type.startsWith('text/')) return { type: 'text', text: decoded(data, `${at}.data`) };
  const format = /^audio\/(?:x-)?(wav|mp3|mpeg)$/.exec(type)?.[1];
  if (format !== undefined)
    return { type: 'input_audio', input_audio: { data, format: format === 'mpeg' ? 'mp3' : format } };
  const name = member(inline, 'displayName');
  return {
    type: 'file',
    file: {
      filename: typeof name === 'string' ? name : 'document.pdf',
      file_data: `data:${type};base64,${data}`,
    },
  };
}

/** An image by its URL. Nothing else can be loaded from one. */
function linkedPart(file: JsonObject, at: string): Part {
  const address = stringAt(member(file, 'fileUri'), `${at}.fileUri`, 'an address as a string');
  const type = member(file, 'mimeType');
  const isPicture = typeof type === 'string' && type.startsWith('image/') && /^https?:/.test(address);
  const isUploaded = /^https:\/\/generativelanguage\.googleapis\.com\//.test(address);
  if (isPicture && !isUploaded) return { type: 'image_url', image_url: { url: address } };
  throw new Fault(
    'invalid_parameter',
    `${at}.fileUri: uploaded files are not supported, and only images are accepted by URL. Send the content itself as inlineData.`,
    { param: `${at}.fileUri` },
  );
}

function decoded(data: string, at: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(data), (unit) => unit.charCodeAt(0)));
  } catch {
    throw invalidValue(at, data, 'base64 as a string');
  }
}

function stringAt(value: JsonValue | undefined, at: string, expected = 'a string'): string {
  if (typeof value !== 'string') throw invalidValue(at, value, expected);
  return value;
}

/** A required object. Throws `invalid_parameter`. */
export function objectAt(value: JsonValue | undefined, at: string): JsonObject {
  if (!isObject(value)) throw invalidValue(at, value, 'an object');
  return value;
}
