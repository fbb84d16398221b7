import { dialects } from '@callsmith/toolcall';
import { formNamed } from '../behavior/forms.ts';
import { type Controls, defaultControls, suffixControls } from '../controls.ts';
import type { NamedModel } from './named-model.ts';
import { weakModels } from './weak-models.ts';

/** A model that the simulator plays. */
export interface Model {
  readonly about: string;
  readonly controls: Controls;
}

const human = { delay: 15, talks: true } as const;

/** How each named model differs from the default, a faultless native caller. */
const named: Readonly<Record<string, NamedModel>> = {
  'demo-native': { about: 'calls tools natively, without faults', controls: human },
  'demo-text': {
    about: 'refuses tools with 400; calls as text if its prompt teaches how',
    controls: { ...human, tools: 'refuse' },
  },
  'demo-leaky': {
    about: 'takes tools but writes its calls into the text',
    controls: { ...human, tools: 'leak', dialect: 'hermes' },
  },
  'demo-flaky': {
    about: 'native: one call in four is beyond repair; by prompt: clean',
    controls: { ...human, faults: [{ name: 'beyond-repair', chance: 0.25, only: 'native' }] },
  },
  'sim-native': { about: 'calls tools natively, without faults', controls: {} },
  'sim-leaky': {
    about: 'takes tools but writes its calls into the text',
    controls: { tools: 'leak', dialect: 'hermes' },
  },
  'sim-refuses-tools': { about: 'refuses tools with vLLM’s 400', controls: { tools: 'refuse' } },
  'sim-refuses-tools-ollama': {
    about: 'refuses tools with Ollama’s 400',
    controls: { tools: 'refuse', engine: 'ollama' },
  },
  'sim-reasoning': { about: 'native, thinks in `reasoning_content`', controls: { reasoning: 'field' } },
  'sim-needs-reasoning': {
    about: 'as `sim-reasoning`; answers 400 where a past call comes back without its `reasoning_content`',
    controls: { reasoning: 'field', needsReasoning: true },
  },
  'sim-needs-examples': {
    about: 'refuses tools; by prompt: one call in two is beyond repair, none where the prompt has example calls',
    controls: { tools: 'refuse', faults: [{ name: 'beyond-repair', chance: 0.5, unless: 'examples' }] },
  },
  'sim-think': { about: 'native, thinks in `<think>` text', controls: { reasoning: 'think' } },
  'sim-broken': {
    about: 'breaks its calls’ JSON in a repairable way one turn in three',
    controls: { faults: [{ name: 'repairable', chance: 1 / 3 }] },
  },
  'sim-flaky': {
    about: 'native: one call in four is beyond repair; by prompt: clean',
    controls: { faults: [{ name: 'beyond-repair', chance: 0.25, only: 'native' }] },
  },
  'sim-engine-500': {
    about: 'every second call is answered with Ollama’s HTTP 500 that carries it raw',
    controls: { engine: 'ollama', faults: [{ name: 'engine-500', chance: 0.5, only: 'native' }] },
  },
  'sim-engine-500-llamacpp': {
    about: 'every second call is answered with llama.cpp’s HTTP 500 that carries it raw',
    controls: { engine: 'llamacpp', faults: [{ name: 'engine-500', chance: 0.5, only: 'native' }] },
  },
  'sim-glued': {
    about: 'native, parallel calls share index 0',
    controls: { faults: [{ name: 'index-zero', chance: 1 }] },
  },
  'sim-small': { about: 'native, with a context of 2048 tokens', controls: { context: 2048 } },
  'sim-echo': { about: 'repeats the user’s text', controls: { echo: true } },
  ...weakModels,
};

/** The named models. */
export const namedIds: readonly string[] = Object.keys(named);

/** A model for every dialect. */
export const dialectIds: readonly string[] = dialects.map(({ name }) => `sim-${name}`);

/** The ids that `/v1/models` lists by default. */
export const modelIds: readonly string[] = [...namedIds, ...dialectIds];

/**
 * The model with this id; undefined if it is unknown. `sim-<dialect>` uses that dialect by prompt, `@…` sets controls.
 * `seed` is the server's.
 */
export function modelNamed(id: string, seed = '1'): Model | undefined {
  const at = id.indexOf('@');
  const base = at < 0 ? id : id.slice(0, at);
  const found = rowNamed(base);
  if (found === undefined) return undefined;
  const suffix = at < 0 ? {} : suffixControls(id.slice(at + 1));
  return { about: found.about, controls: { ...defaultControls, seed, ...found.controls, ...suffix } };
}

type Row = { readonly about: string; readonly controls: Partial<Controls> };

/** By name, or by the longest name that the id begins with: `sim-native-gpt-oss` is played as `sim-native`. */
function rowNamed(id: string): Row | undefined {
  for (let name = id; name !== ''; name = name.slice(0, Math.max(0, name.lastIndexOf('-')))) {
    const row = named[name] ?? dialectRow(name);
    if (row !== undefined) return row;
  }
  return undefined;
}

function dialectRow(id: string): Row | undefined {
  const dialect = /^sim-(.+)$/.exec(id)?.[1];
  if (dialect === undefined || formNamed(dialect) === undefined) return undefined;
  return {
    about: `writes ${dialect} calls if its prompt teaches them; refuses tools`,
    controls: { tools: 'refuse', dialect },
  };
}
