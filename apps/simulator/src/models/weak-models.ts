import type { NamedModel } from './named-model.ts';

/**
 * Models with one known weakness each, and one without, for measuring probes, corrections and constraints. Where a
 * weakness shows natively only, the same model calls faultlessly by prompt.
 */
export const weakModels: Readonly<Record<`weak-${string}`, NamedModel>> = {
  'weak-nothing': { about: 'has no weakness', controls: {} },
  'weak-refuses-tools': { about: 'refuses tools with vLLM’s 400; by prompt: clean', controls: { tools: 'refuse' } },
  'weak-ignores-tools': { about: 'never sees `tools`; by prompt: clean', controls: { tools: 'ignore' } },
  'weak-leaks': {
    about: 'native: writes one call in four into its text',
    controls: { faults: [{ name: 'leak', chance: 0.25, only: 'native' }], dialect: 'hermes' },
  },
  'weak-strict': {
    about: 'refuses every constraint; one call in four beyond repair without',
    controls: { constraint: 'refuse', faults: [{ name: 'beyond-repair', chance: 0.25, only: 'native' }] },
  },
  'weak-json': {
    about: 'refuses tools; by prompt: JSON beyond repair one call in two, tags clean',
    controls: { tools: 'refuse', faults: [{ name: 'beyond-repair', chance: 0.5, only: 'json' }] },
  },
  'weak-context': { about: 'native, with a context of 2048 tokens', controls: { context: 2048 } },
  'weak-announces': {
    about: 'native: says one time in three that it will call, and stops; by prompt: clean',
    controls: { faults: [{ name: 'announced', chance: 1 / 3, only: 'native' }] },
  },
  'weak-thinks': {
    about: 'native: writes one call in three inside its closed `<think>` block; by prompt: clean',
    controls: { reasoning: 'think', faults: [{ name: 'call-in-reasoning', chance: 1 / 3, only: 'native' }] },
  },
  'weak-empty': {
    about: 'one answer in five is empty',
    controls: { faults: [{ name: 'empty-answer', chance: 0.2 }] },
  },
  'weak-arguments': {
    about: 'leaves out an argument one time in three; asked to write the call again, 74 of 100 are right',
    controls: { mends: 74, faults: [{ name: 'missing-required', chance: 1 / 3 }] },
  },
  'weak-unreadable': {
    about: 'one call in three is beyond repair; asked to write it again, 74 of 100 are right',
    controls: { mends: 74, faults: [{ name: 'beyond-repair', chance: 1 / 3 }] },
  },
  'weak-parser': {
    about: 'one call in four comes back as the 500 of an engine that could not read it; by prompt: clean',
    controls: { engine: 'ollama', faults: [{ name: 'engine-500', chance: 0.25, only: 'native' }] },
  },
  'weak-constraint': {
    about: 'takes a constraint and does not keep to it; leaves out an argument one time in four',
    controls: { constraint: 'ignore', faults: [{ name: 'missing-required', chance: 0.25 }] },
  },
  'weak-heeds-constraint': {
    about: 'leaves out an argument one time in four, but not under a constraint',
    controls: { constraint: 'heed', faults: [{ name: 'missing-required', chance: 0.25 }] },
  },
};
