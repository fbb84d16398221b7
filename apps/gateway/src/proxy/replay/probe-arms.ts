import type { ProbeArm } from '@callsmith/data/probes';
import type { ModelEntry } from '@callsmith/data/snapshot';
import type { ProbeSize } from '@callsmith/evaluate';
import { engineConstraints } from '@callsmith/protocols';
import { dialectNamed } from '@callsmith/toolcall';
import type { StrategyName } from '@callsmith/turn';
import { constrainsNative } from '../upstream/constrain.ts';

/** The dialect for models without one of their own. */
const COMMON = 'hermes';
/**
 * For each family, arguments as one JSON object or a tag for each argument: the dialect that represents the other
 * family.
 */
const OTHER_FAMILY = { json: 'qwen3-coder-xml', tags: COMMON } as const;

/**
 * The arms that a probe compares: native calls; constrained calls if the engine supports them; calls in the model's own
 * dialect; and calls in a dialect of the other family, because long values decide between JSON and tags. A full probe
 * also compares prompts with and without example calls. `inEffect`: the index of the arm that requests use now.
 */
export function probeArms(
  model: Probed,
  size: ProbeSize,
): { readonly arms: readonly ProbeArm[]; readonly inEffect: number } {
  const own = dialectNamed(model.dialect.value) === undefined ? COMMON : model.dialect.value;
  const inOwn: ProbeArm[] =
    size === 'full'
      ? [false, true].map((examples) => ({ strategy: 'prompt', dialect: own, examples }))
      : [{ strategy: 'prompt', dialect: own }];
  const arms: ProbeArm[] = [
    { strategy: 'native', dialect: null },
    ...(offersStrict(model) ? [{ strategy: 'strict', dialect: null } as const] : []),
    ...inOwn,
    { strategy: 'prompt', dialect: OTHER_FAMILY[familyOf(own)] },
  ];
  const used = strategyUsed(model);
  const dialect = model.choice?.dialect ?? own;
  const exact = arms.findIndex(
    (arm) => arm.strategy === used && (used !== 'prompt' || (arm.dialect === dialect && isAsSet(arm, model))),
  );
  return { arms, inEffect: Math.max(0, exact) };
}

type Probed = Pick<ModelEntry, 'strategy' | 'dialect' | 'routes' | 'capabilities' | 'choice'> &
  Partial<Pick<ModelEntry, 'exampleCalls'>>;

const isAsSet = ({ examples }: ProbeArm, { exampleCalls }: Pick<Probed, 'exampleCalls'>): boolean =>
  examples === undefined || examples === (exampleCalls?.value ?? false);

function strategyUsed({ strategy: { value }, routes: [first], choice }: Probed): StrategyName {
  if (choice !== undefined && choice.strategy !== 'native') return choice.strategy;
  if (value !== 'auto' && choice === undefined) return value;
  return first?.nativeTools === false ? 'prompt' : 'native';
}

/** True if the gateway can constrain the engine to calls where the engine does not do so by itself. */
function offersStrict({ routes: [first], capabilities }: Probed): boolean {
  if (first === undefined) return false;
  const { native, fields } = engineConstraints(first.upstream.kind, first.upstream.engineVersion);
  if (first.nativeTools !== false && native === 'always') return false;
  if (first.nativeTools !== false && constrainsNative(first, { capabilities })) return true;
  return fields.some(({ name, holds }) => holds === 'calls' && first.constraints?.[name] !== false);
}

function familyOf(dialect: string): 'json' | 'tags' {
  const sample = '{"key":"value"}';
  const call = dialectNamed(dialect)?.renderCall({ id: 'call_1a', name: 'tool', arguments: sample });
  return call?.includes(sample) === true ? 'json' : 'tags';
}
