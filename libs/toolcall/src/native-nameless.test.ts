import { runSync } from '@callsmith/stream';
import { fold, ToolTable, type TurnEvent, type UpstreamEvent } from '@callsmith/turn';
import { expect, test } from 'vitest';
import { parseCalls } from './index.ts';

const tools = new ToolTable([
  { name: 'read_files', parameters: { type: 'object', properties: { files: { type: 'array' } }, required: ['files'] } },
  {
    name: 'write',
    parameters: { type: 'object', properties: { path: {}, content: {} }, required: ['path', 'content'] },
  },
]);

function parseCall(raw: string) {
  const stage = parseCalls({
    tools,
    dialect: 'auto',
    strategyUsed: 'native',
    holdBytes: 1024,
    toolChoice: 'auto',
    parallel: true,
  });
  const { out } = runSync<UpstreamEvent, TurnEvent>(stage, [
    { type: 'call-fragment', choice: 0, index: 0, arguments: raw },
    { type: 'turn-end', choice: 0, reason: 'stop' },
  ]);
  return fold(out).choices[0];
}

test('arguments without a name go to the one tool that takes all keys and has its required ones', () => {
  const choice = parseCall('{"files":["a.txt"],}');
  expect(choice?.calls).toMatchObject([{ name: 'read_files', arguments: '{"files":["a.txt"]}', whole: true }]);
  expect(choice?.notes).toContainEqual(expect.objectContaining({ rule: 'infer-tool', guess: true }));
  expect(choice?.reason).toBe('tool_calls');
});

test('D-3 arguments without a name that fit no tool go out as text', () => {
  const choice = parseCall('{"colour":"red"}');
  expect(choice?.calls).toEqual([]);
  expect(choice?.text).toBe('{"colour":"red"}');
  expect(choice?.reason).toBe('stop');
});
