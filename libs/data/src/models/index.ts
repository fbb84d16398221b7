export { capabilitiesOf, withDeclared } from './capabilities.ts';
export {
  findModel,
  forgetLearned,
  insertModel,
  lastUses,
  listModels,
  listStrategyChanges,
  type ModelDetail,
  type ModelRoute,
  modelNames,
  removeModel,
  type StrategyChangeRow,
  takenNames,
  updateModel,
} from './models.ts';
export {
  AUTO,
  judgedCalls,
  type ModelOnEngine,
  movesOf,
  storeChoice,
  storeDoubt,
} from './strategy-choice.ts';
