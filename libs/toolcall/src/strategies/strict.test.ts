import { ToolTable } from '@callsmith/turn';
import { describe, expect, it } from 'vitest';
import type { Dialect } from '../dialect.ts';
import { dialectNamed } from '../dialects/index.ts';
import { carriesText } from './carries-text.ts';
import { constraintOf } from './strict.ts';

const read = { name: 'read_file', parameters: { type: 'object', properties: { path: { type: 'string' } } } };
const write = {
  name: 'write_file',
  parameters: { type: 'object', properties: { path: { type: 'string' }, content: { type: 'string' } } },
};
const turn = { tools: new ToolTable([read, write]), toolChoice: 'auto', parallel: true } as const;
const hermes = dialectNamed('hermes') as Dialect;
const qwen = dialectNamed('qwen3-coder-xml') as Dialect;

describe('H-8 how an engine is held to the calls of a turn', () => {
  it('is free until a marker, then held to an offered tool and its schema', () => {
    expect(constraintOf(hermes, { ...turn, tools: new ToolTable([read]) })).toEqual({
      triggers: ['<tool_call>'],
      tags: [
        {
          name: 'read_file',
          begin: '<tool_call>\n{"name": "read_file", "arguments": ',
          end: '}\n</tool_call>',
          schema: read.parameters,
          style: 'json',
        },
      ],
      required: false,
      single: false,
    });
  });

  it('is by its name alone where raw text could hold what ends it', () => {
    expect(constraintOf(qwen, turn)?.tags.map(({ name, schema }) => [name, schema !== undefined])).toEqual([
      ['read_file', true],
      ['write_file', false],
    ]);
    expect(constraintOf(hermes, turn)?.tags.every(({ schema }) => schema !== undefined)).toBe(true);
    expect(constraintOf(qwen, { ...turn, tools: new ToolTable([write]) })).toBeUndefined();
  });

  it('follows tool_choice and parallel_tool_calls', () => {
    expect(constraintOf(hermes, { ...turn, toolChoice: 'none' })).toBeUndefined();
    expect(constraintOf(hermes, { ...turn, toolChoice: 'required' })).toMatchObject({ required: true, single: false });
    expect(constraintOf(hermes, { ...turn, parallel: false })).toMatchObject({ required: false, single: true });
    const named = constraintOf(hermes, { ...turn, toolChoice: { name: 'read_file' } });
    expect(named).toMatchObject({ required: true, single: true });
    expect(named?.tags.map(({ name }) => name)).toEqual(['read_file']);
    expect(constraintOf(hermes, turn, { only: 'write_file' })?.tags.map(({ name }) => name)).toEqual(['write_file']);
  });

  it('leaves reasoning free that stands in the text', () => {
    expect(constraintOf(hermes, turn)?.reasoning).toBeUndefined();
    expect(constraintOf(hermes, turn, { reasoning: 'opened' })?.reasoning).toEqual({
      open: '<think>',
      close: '</think>',
      opened: true,
    });
  });

  it('is not possible where the marker could be prose', () => {
    for (const name of ['react', 'bare-json', 'fenced-tool-calls-json'])
      expect(constraintOf(dialectNamed(name) as Dialect, turn)).toBeUndefined();
  });
});

describe('a tool that carries text of any kind', () => {
  const carries = (name: string, schema: object) =>
    carriesText({ parameters: { type: 'object', properties: { [name]: { ...schema } } } });

  it('is told by the name of a parameter that may be a string, or by its description', () => {
    for (const name of ['content', 'new_string', 'fileContents', 'command', 'patch', 'diff', 'code'])
      expect(carries(name, { type: 'string' }), name).toBe(true);
    expect(carries('value', { type: ['string', 'null'], description: 'The code to run.' })).toBe(true);
    expect(carries('content', {})).toBe(true);
  });

  it('is none where no such parameter may be a free string', () => {
    expect(carries('path', { type: 'string', description: 'The path of the file.' })).toBe(false);
    expect(carries('code', { type: 'integer' })).toBe(false);
    expect(carries('command', { type: 'string', enum: ['start', 'stop'] })).toBe(false);
    expect(carriesText({})).toBe(false);
  });
});
