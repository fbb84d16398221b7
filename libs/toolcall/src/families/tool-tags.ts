import type { Tool, ToolTable } from '@callsmith/turn';
import type { CallBuilder, OpeningMarker } from '../dialect.ts';
import { OpenTools } from '../open-tools.ts';
import type { Scanner, Step } from '../scanner.ts';

/**
 * `<NAME` at the start of a line, for every tool on offer. If every name is on offer, only the model's own dialect
 * looks for them: else any HTML would be a call.
 */
export function toolTagOpeningMarkers(tools: ToolTable, own: boolean): readonly OpeningMarker[] {
  if (tools instanceof OpenTools) return own ? [{ text: '<', at: 'line' }] : [];
  return tools.list.map(({ name }) => ({ text: `<${name}`, at: 'line' }));
}

/** `</NAME>` for every tool on offer. */
export const toolTagClosers = (tools: ToolTable): readonly string[] => tools.list.map(({ name }) => `</${name}>`);

/** The tool whose tag begins here, and the text after its name; consumes nothing. */
export function* toolTagAhead(scan: Scanner, builder: CallBuilder): Step<{ tool: Tool; behind: string } | undefined> {
  const text = builder.openingMarker.text.slice(1) + (yield* scan.ahead(200));
  const name = /^[A-Za-z_][\w.-]*/.exec(text)?.[0];
  const tool = name === undefined ? undefined : builder.tools.get(name);
  return tool && { tool, behind: text.slice(tool.name.length) };
}

/** Consumes the rest of the tool's name, and returns the whole name. */
export function* takeTagName(scan: Scanner, builder: CallBuilder): Step<string> {
  return builder.openingMarker.text.slice(1) + (yield* scan.run(/[\w.-]/, 256));
}
