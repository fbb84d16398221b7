import { ToolTable } from '@callsmith/turn';
import { describe, expect, it } from 'vitest';
import { parseText } from '../parse-text.ts';

const text =
  '<use_mcp_tool>\n<server_name>weather</server_name>\n<tool_name>forecast</tool_name>\n<arguments>\n{"city": "Paris"}\n</arguments>\n</use_mcp_tool>';
const object = { type: 'object', properties: { city: { type: 'string' } } };

const callsWith = (names: readonly string[], dialect: string) =>
  parseText({
    text,
    tools: new ToolTable(names.map((name) => ({ name, parameters: name === 'use_mcp_tool' ? {} : object }))),
    dialect,
    chunk: 1,
    finishReason: 'stop',
  }).toolCalls.map((call) => ({ name: call.name, args: JSON.parse(call.arguments) as unknown }));

describe('<use_mcp_tool>', () => {
  const args = { city: 'Paris' };

  it('is a call of the tool that it names', () => {
    for (const dialect of ['mirothinker', 'auto', 'hermes'])
      expect(callsWith(['forecast', 'other'], dialect)).toEqual([{ name: 'forecast', args }]);
  });

  it("finds the tool by its server's name, where exactly one holds both", () => {
    for (const name of ['mcp__weather__forecast', 'weather-forecast'])
      expect(callsWith([name, 'mcp__markets__forecast'], 'auto')).toEqual([{ name, args }]);
  });

  it('is a call of the tool of that name where a client offers one', () => {
    expect(callsWith(['use_mcp_tool', 'forecast'], 'auto').map(({ name }) => name)).toEqual(['use_mcp_tool']);
  });
});
