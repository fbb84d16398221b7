export { applyConfigFile, type ConfigFileProblem, exportConfigFile, WrongConfigFile } from './apply.ts';
