import { WrongSettings } from '@callsmith/config';
import { WrongConfigFile } from '@callsmith/data/config-file';
import { UnusableDatabase } from '@callsmith/data/database';
import { DatabaseInUse } from '@callsmith/data/embedded';
import { WrongSecretKey } from '@callsmith/data/secrets';
import { UnreadableConfigFile } from '../config-file/read-config-file.ts';

const setupProblems = [
  WrongConfigFile,
  UnreadableConfigFile,
  WrongSettings,
  UnusableDatabase,
  DatabaseInUse,
  WrongSecretKey,
];

/** True for errors in settings and database that the operator can fix; their message says how. */
export const isSetupProblem = (error: unknown): error is Error => setupProblems.some((kind) => error instanceof kind);
