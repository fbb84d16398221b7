import { ToolTable } from '@callsmith/turn';
import { expect, it } from 'vitest';
import { resolveName } from './resolve-name.ts';

const tools = new ToolTable([{ name: 'math.hypot' }, { name: 'math.gcd' }, { name: 'int.gcd' }, { name: 'read_file' }]);

it.each([
  ['hypot', 'math.hypot'],
  ['fs.read_file', 'read_file'],
  ['functions::read_file', 'read_file'],
  ['read_file()', 'read_file'],
  ['read_file?commentary?…???<|end|><|start|>assistant', 'read_file'],
  ['read_file...commentary?', 'read_file'],
  ['read_file…', 'read_file'],
  ['read_file\u0000x', 'read_file'],
  ['read_file_based?', undefined],
  ['read?file', undefined],
  ['read_file+delete', undefined],
  ['.commentary?', undefined],
  ['gcd', undefined],
  ['fs.gcd', undefined],
  ['.', undefined],
])('"%s" stands for %s', (rawName, name) => {
  expect(resolveName(rawName, tools).tool?.name).toBe(name);
});
