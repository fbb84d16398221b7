import type { Tool, ToolTable } from '@callsmith/turn';
import type { Hearing, Opener } from '../dialect.ts';
import { OpenTools } from '../open-tools.ts';
import type { Scanner, Step } from '../scanner.ts';

/** `<NAME` at a line's start, for every tool on offer. Where every name is on offer, only the model's own dialect hears them: else any HTML would be a call. */
export function toolTagOpeners(tools: ToolTable, own: boolean): readonly Opener[] {
  if (tools instanceof OpenTools) return own ? [{ word: '<', at: 'line' }] : [];
  return tools.list.map(({ name }) => ({ word: `<${name}`, at: 'line' }));
}

/** The tool whose tag begins here, and the text behind its name; takes nothing. */
export function* toolTagAhead(scan: Scanner, hear: Hearing): Step<{ tool: Tool; behind: string } | undefined> {
  const text = hear.opener.word.slice(1) + (yield* scan.ahead(200));
  const name = /^[A-Za-z_][\w.-]*/.exec(text)?.[0];
  const tool = name === undefined ? undefined : hear.tools.get(name);
  return tool && { tool, behind: text.slice(tool.name.length) };
}

/** Takes the rest of the tool's name, and answers with all of it. */
export function* takeTagName(scan: Scanner, hear: Hearing): Step<string> {
  return hear.opener.word.slice(1) + (yield* scan.run(/[\w.-]/, 256));
}
