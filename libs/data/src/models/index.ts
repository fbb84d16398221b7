export { capabilitiesOf, declaring } from './capabilities.ts';
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
  type ChoicePlace,
  judgedCalls,
  keepChoice,
  keepDoubt,
  movesOf,
} from './strategy-choice.ts';
