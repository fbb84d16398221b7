import { type Message, ToolTable, type Turn } from '@callsmith/turn';
import { describe, expect, it } from 'vitest';
import { withinCapabilities } from './within-capabilities.ts';

const call = (id: string) => ({ id, name: 'read_file', arguments: '{}' });
const result = (callId: string): Message => ({ role: 'tool', callId, content: `of ${callId}` });
const messages: readonly Message[] = [
  { role: 'user', content: 'both' },
  { role: 'assistant', content: 'I look.', reasoning: 'two', calls: [call('a'), call('b')] },
  result('a'),
  result('b'),
  { role: 'user', content: 'again' },
];
const turn: Turn = {
  model: 'm',
  messages,
  tools: new ToolTable([
    { name: 'read_file', parameters: { type: 'object' }, strict: true },
    { name: 'list_files', description: 'lists' },
  ]),
  toolChoice: 'auto',
  parallel: true,
  stream: false,
  includeUsage: false,
  n: 1,
  sampling: {},
};

describe('A-3 requests stay within what the model can do', () => {
  it('nothing known, or all declared to work: the same turn object', () => {
    expect(withinCapabilities(turn, {})).toEqual({ turn, dropped: [] });
    expect(withinCapabilities(turn, {}).turn).toBe(turn);
    expect(withinCapabilities(turn, { tools: true, parallel: true, strict: true }).turn).toBe(turn);
  });

  it('strict: false leaves `strict` out of the tools and reports it', () => {
    const fitted = withinCapabilities(turn, { strict: false });
    expect(fitted.turn.tools.list).toEqual([
      { name: 'read_file', parameters: { type: 'object' } },
      { name: 'list_files', description: 'lists' },
    ]);
    expect(fitted.dropped).toEqual(['strict']);
    const plain = { ...turn, tools: new ToolTable([{ name: 'list_files' }]) };
    expect(withinCapabilities(plain, { strict: false })).toEqual({ turn: plain, dropped: [] });
  });

  it('parallel: false asks for one call, and past calls are one per message, each before its result', () => {
    const fitted = withinCapabilities(turn, { parallel: false }).turn;
    expect(fitted.parallel).toBe(false);
    expect(fitted.messages).toEqual([
      { role: 'user', content: 'both' },
      { role: 'assistant', content: 'I look.', reasoning: 'two', calls: [call('a')] },
      result('a'),
      { role: 'assistant', content: null, calls: [call('b')] },
      result('b'),
      { role: 'user', content: 'again' },
    ]);
  });

  it('parallel: false changes nothing without tools and without past calls', () => {
    const plain = { ...turn, tools: new ToolTable(), messages: [{ role: 'user' as const, content: 'hi' }] };
    expect(withinCapabilities(plain, { parallel: false }).turn).toBe(plain);
  });
});
