export {
  type ApplyOptions,
  applyConfigFile,
  type ConfigFileProblem,
  exportConfigFile,
  WrongConfigFile,
} from './apply.ts';
export type { ConfigPlace } from './section.ts';
