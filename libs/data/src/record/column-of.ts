import type { StoredColumnName } from '@callsmith/contracts';

/** A recorded value's column in the table `turn`: its name in snake case. */
export const columnOf = (name: StoredColumnName): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
