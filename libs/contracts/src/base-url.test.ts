import { describe, expect, it } from 'vitest';
import { otherBaseUrl, shownBaseUrl, urlUnder, wholeBaseUrl } from './base-url.ts';

describe('a base URL', () => {
  it.each([
    ['http://gpu:8000', 'http://gpu:8000/v1'],
    ['http://gpu:8000/', 'http://gpu:8000/v1'],
    ['http://gpu:8000/v1//', 'http://gpu:8000/v1'],
    ['http://gpu:8000/v1/chat/completions', 'http://gpu:8000/v1'],
    ['http://gpu:8000/v1/responses', 'http://gpu:8000/v1'],
    ['http://gpu:8000/v1/models/', 'http://gpu:8000/v1'],
    ['https://x.test/api', 'https://x.test/api/v1'],
    ['https://x.test/serve/v1', 'https://x.test/serve/v1'],
    [' http://gpu:8000?# ', 'http://gpu:8000/v1'],
  ])('%s means %s', (given, meant) => expect(wholeBaseUrl(given)).toBe(meant));

  it.each([
    'https://generativelanguage.example/v1beta/openai',
    'https://openrouter.example/api/v1',
    'https://ark.example/api/v3',
    'https://z.example/api/paas/v4',
    'https://r.openai.azure.example/openai/v1',
    'https://r.openai.azure.example/openai/v1?api-version=preview',
    'https://r.openai.azure.example/openai/deployments/d?api-version=2024-10-21',
    'https://x.test/openai',
    'https://x.test/proxy?to=a%2Fb&x=1',
  ])('%s keeps its own path and query', (url) => {
    expect(wholeBaseUrl(url)).toBe(url);
    expect(
      wholeBaseUrl(`${url.split('?')[0]}/chat/completions${url.includes('?') ? `?${url.split('?')[1]}` : ''}`),
    ).toBe(url);
  });

  it('user info stays, so that it can be refused', () => {
    expect(wholeBaseUrl('http://me:secret@gpu:8000')).toBe('http://me:secret@gpu:8000/v1');
  });

  it.each([
    ['https://x.test/api/v1', 'https://x.test/api'],
    ['https://x.test/api/v1?a=b', 'https://x.test/api?a=b'],
    ['https://x.test/openai', 'https://x.test/openai/v1'],
    ['https://x.test/v1', undefined],
    ['https://x.test/v1beta/openai', undefined],
  ])('instead of %s, %s may be what was meant', (given, other) => expect(otherBaseUrl(given)).toBe(other));
});

it('endpoints are appended to the path of a base URL, before its query', () => {
  expect(urlUnder('http://gpu/v1', '/chat/completions')).toBe('http://gpu/v1/chat/completions');
  expect(urlUnder('http://gpu/v1', '/tokenize', true)).toBe('http://gpu/tokenize');
  expect(urlUnder('http://gpu/llm/v1?a=b', '/tokenize', true)).toBe('http://gpu/llm/tokenize?a=b');
  expect(urlUnder('https://r/openai/deployments/d?api-version=1', '/models')).toBe(
    'https://r/openai/deployments/d/models?api-version=1',
  );
});

it('a base URL is shown without its query', () => {
  expect(shownBaseUrl('https://r/openai?api-version=1')).toBe('https://r/openai');
});
