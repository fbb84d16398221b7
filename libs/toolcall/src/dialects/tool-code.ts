import type { Dialect } from '../dialect.ts';
import { callSyntaxCanExpress, renderCallSyntax } from '../families/call-syntax.ts';
import { codeCallAhead, codeFences, parseCodeCalls } from '../families/code-calls.ts';
import { example, several, toolPrompt } from '../families/tool-prompt.ts';

const fences = ['```tool_code', '```tool_call', '```python'];

/** "```tool_code⏎print(f(x=1))⏎```" (Gemma), "```tool_call⏎{…}⏎```" */
export const toolCode: Dialect = {
  name: 'tool-code',
  ambiguous: true,
  openingMarkers: (_tools, own) => codeFences(fences.slice(0, own ? 3 : 2), own),
  matches: codeCallAhead,
  parse: parseCodeCalls,
  renderToolPrompt: (tools, shape) =>
    toolPrompt(tools, shape, toolCode.renderCall(example), [several('Write one call a line in the block.')]),
  renderCall: (call) => `\`\`\`tool_code\n${renderCallSyntax(call, true)}\n\`\`\``,
  closingMarkers: () => ['```'],
  renderResult: ({ text }) => `\`\`\`tool_output\n${text}\n\`\`\``,
  resultMarkers: [{ text: '```tool_output', at: 'line', ambiguous: true }],
  canExpress: callSyntaxCanExpress,
};
