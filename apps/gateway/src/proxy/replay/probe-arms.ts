import type { ProbeArm } from '@callsmith/data/probes';
import type { ModelEntry } from '@callsmith/data/snapshot';
import { dialectNamed } from '@callsmith/toolcall';

/** What most models without a dialect of their own are taught. */
const COMMON = 'hermes';
/** Which dialect stands for its family: arguments as one JSON object, or a tag for each. */
const OTHER_FAMILY = { json: 'qwen3-coder-xml', tags: COMMON } as const;

/**
 * What is compared: native calls, calls written in the model's own dialect, and in one of the other family, as long
 * values are what decides between JSON and tags. `inEffect`: the arm that requests take now.
 */
export function probeArms({
  strategy,
  dialect,
  routes: [first],
}: Pick<ModelEntry, 'strategy' | 'dialect' | 'routes'>): {
  readonly arms: readonly ProbeArm[];
  readonly inEffect: number;
} {
  const own = dialectNamed(dialect.value) === undefined ? COMMON : dialect.value;
  const prompts = strategy.value === 'auto' ? first?.nativeTools === false : strategy.value === 'prompt';
  return {
    arms: [
      { strategy: 'native', dialect: null },
      { strategy: 'prompt', dialect: own },
      { strategy: 'prompt', dialect: OTHER_FAMILY[familyOf(own)] },
    ],
    inEffect: prompts ? 1 : 0,
  };
}

function familyOf(dialect: string): 'json' | 'tags' {
  const sample = '{"key":"value"}';
  const call = dialectNamed(dialect)?.renderCall({ id: 'call_1a', name: 'tool', arguments: sample });
  return call?.includes(sample) === true ? 'json' : 'tags';
}
