import { type Content, isObject, type JsonValue, type Part } from '@callsmith/turn';
import { describeValue, invalidValue } from '../../checks.ts';

/** A tool's result. An object that is no part is passed on as JSON. */
export function outputOf(output: JsonValue | undefined, path: string): Content {
  if (output === undefined || output === null || typeof output === 'string' || Array.isArray(output))
    return contentOf(output, path);
  if (isObject(output)) return typeof output.content === 'string' ? output.content : JSON.stringify(output);
  throw invalidValue(path, output, 'a string or an array of parts');
}

/** The content of a message or of a tool's output. */
export function contentOf(content: JsonValue | undefined, path: string): Content {
  if (typeof content === 'string') return content;
  // Clients in languages that omit empty fields send empty content this way.
  if (content === undefined || content === null) return '';
  if (!Array.isArray(content)) throw invalidValue(path, content, 'a string or an array of parts');
  return content.map((part, index) => chatPart(part, `${path}[${index}]`));
}

/** A part in the form of chat completions, which is the neutral one. */
function chatPart(part: JsonValue, path: string): Part {
  if (!isObject(part)) throw invalidValue(path, part, 'a part object such as {"type":"input_text","text":"…"}');
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
    case 'summary_text':
    case 'reasoning_text':
      if (typeof part.text !== 'string') throw invalidValue(`${path}.text`, part.text, 'a string');
      return { type: 'text', text: part.text };
    case 'refusal':
      return { type: 'text', text: typeof part.refusal === 'string' ? part.refusal : '' };
    case 'input_image': {
      if (typeof part.image_url !== 'string')
        throw invalidValue(`${path}.image_url`, part.image_url, 'an address or data URL as a string');
      return {
        type: 'image_url',
        image_url: { url: part.image_url, ...(typeof part.detail === 'string' && { detail: part.detail }) },
      };
    }
    case 'input_file': {
      const { type: _, ...file } = part;
      return { type: 'file', file };
    }
    default:
      if (typeof part.type !== 'string')
        throw invalidValue(`${path}.type`, part.type, `a string such as "input_text", not ${describeValue(part.type)}`);
      return part;
  }
}

/** The texts of parts that have one; none if it is not a list of parts. */
export function textsOf(parts: JsonValue | undefined): string[] {
  if (!Array.isArray(parts)) return [];
  return parts.flatMap((part) =>
    isObject(part) && typeof part.text === 'string' && part.text !== '' ? [part.text] : [],
  );
}
