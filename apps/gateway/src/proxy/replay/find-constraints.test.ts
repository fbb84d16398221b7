import { startSimulator } from '@callsmith/simulator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postJson, startProxy, type TestProxy } from '../test/test-proxy.ts';
import { startUpstream, type TestUpstream } from '../test/test-upstream.ts';
import { findConstraints } from './find-constraints.ts';

type Simulator = Awaited<ReturnType<typeof startSimulator>>;
const never = new AbortController().signal;

let simulator: Simulator;
let proxy: TestProxy;

const model = (name: string, upstreamModel: string, kind: 'vllm' | 'sglang' | 'llamacpp' | 'ollama' | 'lmstudio') => ({
  name,
  upstreamModel,
  kind,
  strategy: 'strict' as const,
  baseUrls: [`${simulator.url}/v1`],
});

beforeAll(async () => {
  simulator = await startSimulator({ seed: 3 });
  proxy = await startProxy([
    ...(['heed', 'ignore', 'refuse'] as const).flatMap((how) =>
      (['vllm', 'sglang', 'llamacpp', 'ollama', 'lmstudio'] as const).map((kind) =>
        model(`${kind} ${how}`, `sim-native@constraint=${how}`, kind),
      ),
    ),
    model('heeds', 'sim-hermes@constraint=heed,faults=missing-required', 'vllm'),
    model('ignores', 'sim-hermes@constraint=ignore,faults=missing-required', 'vllm'),
    model('refuses', 'sim-hermes@constraint=refuse', 'vllm'),
  ]);
});
afterAll(async () => {
  await proxy.close();
  await simulator.close();
});

const placeOf = (name: string) => {
  const model = proxy.snapshot.model(name)!;
  return { model, route: model.routes[0]! };
};

describe('H-8 whether an engine enforces a constraint', () => {
  it.each(['vllm', 'sglang', 'llamacpp', 'ollama', 'lmstudio'])('is determined by its effect: %s', async (kind) => {
    const found = await findConstraints(proxy.proxy.client, placeOf(`${kind} heed`), never);
    expect(found.length).toBeGreaterThan(0);
    expect(found.map(({ field, enforced: heeded }) => [field, heeded])).toEqual(
      found.map(({ field }) => [field, true]),
    );
    for (const how of ['ignore', 'refuse']) {
      const not = await findConstraints(proxy.proxy.client, placeOf(`${kind} ${how}`), never);
      // The simulated model follows a tool's schema whether or not it is held to it.
      const certain = not.filter(({ field }) => how === 'refuse' || field !== 'strict');
      expect(certain.length).toBeGreaterThan(0);
      expect(certain.filter(({ enforced: heeded }) => heeded)).toEqual([]);
    }
  });

  it('is asked by the API that requests to the model use, with their context length', async () => {
    const { model, route } = placeOf('ollama heed');
    const requestsBy = async (api: string) => {
      const before = simulator.requests.length;
      const long = { value: 8192, source: 'declared' as const };
      await findConstraints(
        proxy.proxy.client,
        { model: { ...model, contextLength: long }, route: { ...route, api } },
        never,
      );
      return simulator.requests.slice(before).map(({ path, body }) => ({ path, body }));
    };
    const chat = await requestsBy('chat');
    expect(new Set(chat.map(({ path }) => path))).toEqual(new Set(['/v1/chat/completions']));
    const own = await requestsBy('ollama');
    expect(own).toHaveLength(chat.length);
    for (const { path, body } of own) {
      expect(path).toBe('/api/chat');
      expect(body).toMatchObject({
        stream: false,
        format: { const: expect.any(String) },
        options: { num_ctx: 8192, num_predict: 40 },
      });
    }
  });

  it('is unknown if the server is unreachable or busy', async () => {
    const upstream: TestUpstream = await startUpstream();
    upstream.behave((response) => {
      response.statusCode = 503;
      response.end('busy');
    });
    const { model, route } = placeOf('vllm heed');
    const place = {
      model,
      route: { ...route, upstream: { ...route.upstream, id: 'up_busy', baseUrl: upstream.baseUrl } },
    };
    expect(await findConstraints(proxy.proxy.client, place, never)).toEqual([]);
    await upstream.close();
  });

  it('is asked again with more tokens if the model reasons first', async () => {
    const upstream = await startUpstream();
    upstream.behave((response, { body }) => {
      const enough = Number(body.max_tokens) > 100;
      const { json } = (body.structured_outputs ?? {}) as { json?: unknown };
      expect(json).toBeUndefined();
      const word = /"const\\?":\\?"(k[0-9a-f]+)/.exec(JSON.stringify(body))?.[1];
      const message = enough ? { content: `"${word}"` } : { content: null, reasoning_content: 'Well,' };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: enough ? 'stop' : 'length' }] }));
    });
    const { model, route } = placeOf('sglang heed');
    const place = {
      model,
      route: { ...route, upstream: { ...route.upstream, id: 'up_thinks', baseUrl: upstream.baseUrl } },
    };
    const found = await findConstraints(proxy.proxy.client, place, never);
    expect(found.map(({ field, enforced: heeded }) => [field, heeded])).toEqual([
      ['response_format.structural_tag', true],
      ['response_format.structures', true],
    ]);
    await upstream.close();
  });
});

describe('H-8 a model under strict that makes mistakes', () => {
  const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
  const ask = async (name: string, stream: boolean) => {
    const before = proxy.recorder.turns.length;
    const reply = await postJson(proxy, '/v1/chat/completions', {
      model: name,
      stream,
      messages: [{ role: 'user', content: 'Read a.txt' }],
      tools: [{ type: 'function', function: { name: 'read_file', parameters } }],
    });
    await reply.text();
    await expect.poll(() => proxy.recorder.turns.length).toBe(before + 1);
    return proxy.recorder.turns[before];
  };

  it.each([false, true])('makes none if its engine enforces the constraint (streamed: %s)', async (stream) => {
    expect(await ask('heeds', stream)).toMatchObject({ strategyUsed: 'strict', outcome: 'clean' });
    expect(proxy.snapshot.learned.filter(({ what }) => what.startsWith('constraint:'))).toEqual([]);
  });

  it.each([false, true])('gets a response if its engine refuses the constraint (streamed: %s)', async (stream) => {
    expect(await ask('refuses', stream)).toMatchObject({ outcome: 'clean', status: 200 });
  });

  it('is detected if its engine accepts the constraint and ignores it', async () => {
    await ask('ignores', true);
    const lessons = proxy.snapshot.learned.filter(({ what }) => what.startsWith('constraint:'));
    expect(lessons[0]).toMatchObject({ what: 'constraint:structured_outputs', value: false });
  });
});
