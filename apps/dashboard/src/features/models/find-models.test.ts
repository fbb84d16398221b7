import { describe, expect, it } from 'vitest';
import { findModels } from './find-models.ts';

const model = (name: string, dialect: string, ...upstreams: string[]) => ({
  name,
  dialect: { value: dialect },
  routes: upstreams.map((upstream) => ({ upstream })),
});
const models = [
  model('Qwen/Qwen3-Coder-30B', 'qwen3-coder-xml', 'vllm-east', 'vllm-west'),
  model('gpt-oss-20b', 'harmony', 'vllm-east'),
  model('llama3.1:8b', 'auto', 'Ollama'),
  model('unserved', 'auto'),
];
const found = (search: string) => findModels(models, search).map(({ name }) => name);

describe('finding models', () => {
  it.each([
    ['', ['Qwen/Qwen3-Coder-30B', 'gpt-oss-20b', 'llama3.1:8b', 'unserved']],
    ['   ', ['Qwen/Qwen3-Coder-30B', 'gpt-oss-20b', 'llama3.1:8b', 'unserved']],
    ['qwen', ['Qwen/Qwen3-Coder-30B']],
    ['HARMONY', ['gpt-oss-20b']],
    ['ollama', ['llama3.1:8b']],
    ['east', ['Qwen/Qwen3-Coder-30B', 'gpt-oss-20b']],
    [' coder   west ', ['Qwen/Qwen3-Coder-30B']],
    ['eastvllm', []],
    ['.*', []],
  ])('%j', (search, names) => expect(found(search)).toEqual(names));

  it('finds no word across two fields', () => expect(found('20bharmony')).toEqual([]));
});
