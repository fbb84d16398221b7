import type { UpstreamKind } from '@callsmith/turn';
import type { DiscoveredModel } from './discovered-model.ts';
import { memberOf, text, tokens } from './fields.ts';
import { type AddressedUpstream, requestJson } from './request-upstream.ts';

interface Asked extends AddressedUpstream {
  readonly models: readonly DiscoveredModel[];
}

/** The result of an engine's own routes. */
interface Told {
  readonly engineVersion: string | undefined;
  /** More accurate than in `/v1/models`. */
  readonly models?: readonly DiscoveredModel[];
}

/** How one kind of engine is recognized. */
interface Look {
  readonly kind: UpstreamKind;
  /** Its `owned_by`. */
  readonly owners: readonly string[];
  /** Undefined: not this kind. */
  find(target: Asked): Promise<Told | undefined>;
}

/** Requests outside the common API: under the server's root. */
const get = ({ addressing, proxies }: Asked, path: string, body?: object): Promise<unknown> =>
  requestJson({ addressing, proxies, path, atRoot: true, timeoutMs: 3_000, ...(body ? { body } : {}) });

// {"version":"0.9.2"}
const vllm: Look = {
  kind: 'vllm',
  owners: ['vllm'],
  async find(target) {
    const version = text(memberOf(await get(target, '/version'), 'version'));
    return version === undefined ? undefined : { engineVersion: version };
  },
};

// /get_model_info: {"model_path":"…","is_generation":true,…}; the version is in /server_info or /get_server_info.
const sglang: Look = {
  kind: 'sglang',
  owners: ['sglang'],
  async find(target) {
    const info = await get(target, '/get_model_info');
    if (text(memberOf(info, 'model_path')) === undefined) return undefined;
    const server = (await get(target, '/server_info')) ?? (await get(target, '/get_server_info'));
    return { engineVersion: text(memberOf(server, 'version')) };
  },
};

// /props: {"default_generation_settings":{"n_ctx":8192,…},"build_info":"b4567-abc"}: the context one slot really has.
const llamacpp: Look = {
  kind: 'llamacpp',
  owners: ['llamacpp'],
  async find(target) {
    const props = await get(target, '/props');
    const settings = memberOf(props, 'default_generation_settings');
    if (settings === undefined) return undefined;
    const context = tokens(memberOf(settings, 'n_ctx'));
    return {
      engineVersion: text(memberOf(props, 'build_info')),
      models: target.models.map((model) => ({ ...model, contextLength: context ?? model.contextLength })),
    };
  },
};

// /api/v0/models: {"data":[{"id":"…","type":"llm","loaded_context_length":4096,"max_context_length":32768,"capabilities":["tool_use"]}]}
const lmstudio: Look = {
  kind: 'lmstudio',
  owners: ['organization_owner'],
  async find(target) {
    const data = memberOf(await get(target, '/api/v0/models'), 'data');
    if (!Array.isArray(data)) return undefined;
    const modelsByName = new Map(data.map((model) => [text(memberOf(model, 'id')), model]));
    return {
      engineVersion: undefined,
      models: target.models
        .filter(({ name }) => text(memberOf(modelsByName.get(name), 'type')) !== 'embeddings')
        .map((model) => {
          const own = modelsByName.get(model.name);
          const capabilities = memberOf(own, 'capabilities');
          return {
            name: model.name,
            contextLength:
              tokens(memberOf(own, 'loaded_context_length')) ??
              tokens(memberOf(own, 'max_context_length')) ??
              model.contextLength,
            tools: Array.isArray(capabilities) ? capabilities.includes('tool_use') : undefined,
          };
        }),
    };
  },
};

// /api/version: {"version":"0.5.1"}; /api/show: {"parameters":"num_ctx 8192\n…","capabilities":["completion","tools"]}
const ollama: Look = {
  kind: 'ollama',
  owners: ['library'],
  async find(target) {
    const version = text(memberOf(await get(target, '/api/version'), 'version'));
    if (version === undefined) return undefined;
    const models: DiscoveredModel[] = [];
    for (const model of target.models.slice(0, 50)) {
      const shown = await get(target, '/api/show', { model: model.name }).catch(() => undefined);
      const capabilities = memberOf(shown, 'capabilities');
      // Ollama does not use the model's trained context: only an explicit num_ctx is reliable.
      const set = /^num_ctx\s+(\d+)/m.exec(text(memberOf(shown, 'parameters')) ?? '')?.[1];
      models.push({
        name: model.name,
        contextLength: set ? tokens(Number(set)) : model.contextLength,
        tools: Array.isArray(capabilities) ? capabilities.includes('tools') : undefined,
      });
    }
    return { engineVersion: version, models: [...models, ...target.models.slice(50)] };
  },
};

/** Engines ordered so that the most specific responses are checked first. */
export const engineSignatures: readonly Look[] = [lmstudio, ollama, sglang, llamacpp, vllm];
