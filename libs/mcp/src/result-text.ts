import { isObject, type JsonValue } from '@callsmith/turn';

/** A tool's result, in the protocol's form. */
export interface ToolResult {
  readonly content: readonly JsonValue[];
  readonly structuredContent?: JsonValue | undefined;
  readonly isError: boolean;
}

/** A result as text for a model, without its images. */
export function resultText({ content, structuredContent }: ToolResult): string {
  const texts = content.map(blockText).filter((text) => text !== '');
  if (texts.length === 0 && structuredContent !== undefined) return JSON.stringify(structuredContent);
  return texts.join('\n');
}

function blockText(block: JsonValue): string {
  if (!isObject(block)) return '';
  switch (block.type) {
    case 'text':
      return typeof block.text === 'string' ? block.text : '';
    case 'resource_link':
      return `${String(block.name ?? 'resource')}: ${String(block.uri ?? '')}`;
    case 'resource': {
      const { resource } = block;
      if (!isObject(resource)) return '';
      return typeof resource.text === 'string' ? resource.text : `[${String(resource.uri ?? 'resource')}]`;
    }
    default:
      return `[${String(block.type ?? 'content')}${typeof block.mimeType === 'string' ? ` ${block.mimeType}` : ''}]`;
  }
}
