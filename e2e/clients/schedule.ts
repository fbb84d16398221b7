import { weakModels as weakIds } from '@callsmith/simulator';
import type { ClientRow } from './install.ts';
import { type Scenario, scenarios } from './scenarios.ts';

/** A model of the simulator, and its fault. */
export interface SimulatedModel {
  readonly id: string;
  readonly title: string;
  /** It has no fault: if a client fails here without the gateway, the row says nothing about the gateway. */
  readonly faultless?: boolean;
}

/** The models that every client is run with. The faults are chosen here, and the report says so. */
export const models: readonly SimulatedModel[] = [
  { id: 'sim-native', title: 'native, nothing wrong', faultless: true },
  { id: 'sim-leaky', title: 'native, leaks its calls as text' },
  { id: 'sim-refuses-tools', title: 'refuses tools' },
  { id: 'sim-hermes', title: 'prompt only, hermes' },
  { id: 'sim-qwen3-coder-xml', title: 'prompt only, qwen3-coder XML' },
  { id: 'sim-glm-4.5', title: 'prompt only, GLM 4.5' },
  { id: 'sim-deepseek-v3.1', title: 'prompt only, DeepSeek V3.1' },
  { id: 'sim-lmstudio-default', title: 'prompt only, LM Studio' },
  { id: 'sim-reasoning', title: 'reasons before it calls' },
  { id: 'sim-broken', title: 'breaks its JSON one turn in three' },
  { id: 'sim-engine-500', title: 'its engine answers 500 with the raw call' },
];

/** The models with one known weakness each, which `npm run strategies` measures with. */
export const weakModels: readonly SimulatedModel[] = Object.entries(weakIds).map(([id, { about }]) => ({
  id,
  title: about.replaceAll('|', '/'),
}));

/** One cell of the table. */
export interface Cell {
  readonly client: ClientRow;
  readonly model: SimulatedModel;
  readonly scenario: Scenario;
}

/**
 * Each client runs with each model once, the scenario by a Latin square: (client + model) modulo the scenarios, so that
 * every pair of client and scenario and of model and scenario occurs. `all`: the full cross.
 */
export function schedule(clients: readonly ClientRow[], chosen: readonly SimulatedModel[], all: boolean): Cell[] {
  return clients.flatMap((client, c) =>
    chosen.flatMap((model, m) => {
      const square = scenarios[(c + m) % scenarios.length] as Scenario;
      return (all ? scenarios : [square]).map((scenario) => ({ client, model, scenario }));
    }),
  );
}

/** The model id for a client: with the part that its behavior depends on, if any, and with the model's controls. */
export function modelIdFor({ client, model, scenario }: Cell): string {
  const name = client.modelSuffix === undefined ? model.id : `${model.id}-${client.modelSuffix}`;
  return scenario.settings === undefined ? name : `${name}@${scenario.settings}`;
}
