export { bigContent } from './big-content.ts';
export { faultNames } from './faults/faults.ts';
export { modelIds, modelNamed } from './models/models.ts';
export { weakModels } from './models/weak-models.ts';
export type { RecordedRequest } from './recorder.ts';
export { type ListedModel, type Simulator, type SimulatorOptions, startSimulator } from './simulator.ts';
export { countTokens } from './tokens.ts';
