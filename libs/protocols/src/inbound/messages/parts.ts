import { Fault, isObject, type JsonObject, type JsonValue, type Part } from '@callsmith/turn';
import { invalidValue } from '../../checks.ts';

/** A text as parts; none if it is empty. */
export const textParts = (text: string): Part[] => (text === '' ? [] : [{ type: 'text', text }]);

/**
 * A block in the form of chat completions, which is the neutral one; undefined: no model server accepts such a block.
 */
export function readPart(block: JsonObject, at: string): Part | undefined {
  const part = partOf(block, at);
  return part && isObject(block.cache_control) ? { ...part, cache_control: block.cache_control } : part;
}

function partOf(block: JsonObject, at: string): Part | undefined {
  switch (block.type) {
    case 'text':
      if (typeof block.text !== 'string') throw invalidValue(`${at}.text`, block.text, 'a string');
      return { type: 'text', text: block.text };
    case 'image':
      return { type: 'image_url', image_url: { url: imageUrl(block.source, `${at}.source`) } };
    case 'document':
      return document(block, at);
    case 'search_result':
      return { type: 'text', text: searchResult(block, at) };
    case 'tool_reference': {
      const { tool_name: name } = block;
      if (typeof name !== 'string') throw invalidValue(`${at}.tool_name`, name, "the tool's name as a string");
      return { type: 'text', text: `The tool ${name} can be called now.` };
    }
    default:
      if (typeof block.type !== 'string') throw invalidValue(`${at}.type`, block.type, 'a string such as "text"');
      return undefined;
  }
}

function sourceOf(source: JsonValue | undefined, at: string): JsonObject {
  if (!isObject(source)) throw invalidValue(at, source, 'a source object such as {"type":"base64",…}');
  if (source.type === 'file')
    throw new Fault(
      'invalid_parameter',
      `${at}.type: uploaded files are not supported. Send the content itself, with "type": "base64".`,
      { param: `${at}.type` },
    );
  return source;
}

function textIn(of: JsonObject, name: string, at: string, what: string): string {
  const value = of[name];
  if (typeof value !== 'string') throw invalidValue(`${at}.${name}`, value, what);
  return value;
}

function dataUrl(source: JsonObject, at: string): string {
  return `data:${textIn(source, 'media_type', at, 'a media type as a string')};base64,${textIn(source, 'data', at, 'base64 as a string')}`;
}

function imageUrl(value: JsonValue | undefined, at: string): string {
  const source = sourceOf(value, at);
  switch (source.type) {
    case 'base64':
      return dataUrl(source, at);
    case 'url':
      return textIn(source, 'url', at, 'an address as a string');
    default:
      throw invalidValue(`${at}.type`, source.type, 'one of "base64", "url"');
  }
}

/** A document: its text if it has one, else a file, which few model servers accept. */
function document(block: JsonObject, at: string): Part {
  const source = sourceOf(block.source, `${at}.source`);
  const title = typeof block.title === 'string' ? block.title : '';
  const head = [title, typeof block.context === 'string' ? block.context : ''].filter((line) => line !== '');
  switch (source.type) {
    case 'text':
      return { type: 'text', text: [...head, textIn(source, 'data', `${at}.source`, 'a string')].join('\n') };
    case 'content':
      return { type: 'text', text: [...head, textsIn(source.content, `${at}.source.content`)].join('\n') };
    case 'base64':
      return {
        type: 'file',
        file: { filename: title === '' ? 'document.pdf' : title, file_data: dataUrl(source, `${at}.source`) },
      };
    case 'url':
      throw new Fault(
        'invalid_parameter',
        `${at}.source.type: documents are not fetched from URLs. Send the document itself, with "type": "base64".`,
        { param: `${at}.source.type` },
      );
    default:
      throw invalidValue(`${at}.source.type`, source.type, 'one of "text", "content", "base64"');
  }
}

const searchResult = (block: JsonObject, at: string): string =>
  [
    textIn(block, 'title', at, 'a string'),
    textIn(block, 'source', at, 'a string'),
    textsIn(block.content, `${at}.content`),
  ].join('\n');

/** The text of a string, or of text blocks. */
function textsIn(content: JsonValue | undefined, at: string): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) throw invalidValue(at, content, 'a string or an array of text blocks');
  return content
    .map((block, index) => {
      if (!isObject(block))
        throw invalidValue(`${at}[${index}]`, block, 'a text block such as {"type":"text","text":"…"}');
      return block.type === 'text' ? textIn(block, 'text', `${at}[${index}]`, 'a string') : '';
    })
    .filter((text) => text !== '')
    .join('\n');
}
