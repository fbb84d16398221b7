import type { ToolTable } from '@callsmith/turn';
import type { Dialect } from '../dialect.ts';
import { chatml } from '../families/chat-templates.ts';
import { parseNamedArguments } from '../families/named-arguments.ts';
import { thinkBlock } from '../families/reasoning.ts';
import { resultOf } from '../families/result-format.ts';
import { cutOff } from '../families/tags.ts';
import { argumentsJson, example, several, toolPrompt } from '../families/tool-prompt.ts';
import { OpenTools } from '../open-tools.ts';
import { ParseFailure, type Scanner, type Step } from '../scanner.ts';

const open = '<use_mcp_tool>';
const end = '</use_mcp_tool>';
const argumentsEnd = '</arguments>';
/** The server name for tools whose server the template does not know. */
const server = 'generic-extras';

/** Text before and after a call's JSON arguments. */
const around = (name: string): readonly [before: string, behind: string] => [
  `${open}\n<server_name>${server}</server_name>\n<tool_name>${name}</tool_name>\n<arguments>\n`,
  `\n${argumentsEnd}\n${end}`,
];

/** The text of `<TAG>…</TAG>`, consumed; undefined if there is no such element here. */
function* element(scan: Scanner, tag: string): Step<string | undefined> {
  yield* scan.space();
  if (!(yield* scan.takeText(`<${tag}>`))) return undefined;
  const text = (yield* scan.run(/[^<]/, 256)).trim();
  const close = `</${tag}>`;
  if (!(yield* scan.takeText(close))) throw new ParseFailure((yield* cutOff(scan, [close])) ? 'cut' : 'broken');
  return text;
}

/** A client may put the server's name before the tool's: `mcp__SERVER__NAME`, `SERVER-NAME`. */
function offeredName(tools: ToolTable, of: string | undefined, name: string): string {
  if (tools.get(name) || !of) return name;
  const named = tools.list.filter((tool) => tool.name.endsWith(name) && tool.name.includes(of));
  return named.length === 1 ? (named[0]?.name ?? name) : name;
}

/**
 * `<use_mcp_tool>⏎<server_name>S</server_name>⏎<tool_name>NAME</tool_name>⏎<arguments>⏎{…}⏎</arguments>⏎</use_mcp_tool>`;
 * one block may contain several calls. From llama.cpp's template of MiroThinker 1.0 and its parser. Clients with their
 * own protocol (Cline, Roo) offer a tool with the block's name: they use the dialect of tags named after tools.
 */
export const mirothinker: Dialect = {
  name: 'mirothinker',
  openingMarkers: () => [{ text: open, at: 'anywhere' }],
  *matches(scan, builder) {
    if (!(builder.tools instanceof OpenTools) && builder.tools.get('use_mcp_tool')) return false;
    return /^\s*<(?:server|tool)_name>/.test(yield* scan.ahead(40));
  },
  *parse(scan, builder) {
    for (let any = false; ; any = true) {
      yield* scan.space();
      const from = scan.offset;
      const of = yield* element(scan, 'server_name');
      const name = yield* element(scan, 'tool_name');
      if (name === undefined || name === '') {
        if (any && of === undefined) break;
        throw new ParseFailure((yield* cutOff(scan, ['<server_name>', '<tool_name>'])) ? 'cut' : 'not-a-call');
      }
      yield* scan.space();
      if (!(yield* scan.takeText('<arguments>')) && (yield* cutOff(scan, ['<arguments>'])))
        throw new ParseFailure('cut');
      yield* parseNamedArguments(
        scan,
        builder,
        offeredName(builder.tools, of, name),
        [argumentsEnd, end],
        [argumentsEnd],
      );
      builder.setRange(from);
    }
    if (!(yield* scan.takeText(end))) builder.repair('close-wrapper', scan.offset, scan.offset);
  },
  renderToolPrompt: (tools, shape) =>
    toolPrompt(tools, shape, mirothinker.renderCall(example), [
      'The arguments are one JSON object.',
      several('For several calls repeat the three elements inside the block.'),
    ]),
  renderCall: (call) => around(call.name).join(argumentsJson(call)),
  closingMarkers: () => [end, argumentsEnd],
  innerMarkers: ['<server_name>', '</server_name>', '<tool_name>', '</tool_name>', '<arguments>'],
  reasoning: [thinkBlock],
  template: chatml,
  ...resultOf,
  fence: (tool) => {
    const [begin, behind] = around(tool.name);
    return { trigger: open, begin, end: behind, style: 'json' };
  },
};
