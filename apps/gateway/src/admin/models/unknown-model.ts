import { Fault } from '@callsmith/turn';

/** The error for a model, by id or name, that does not exist. */
export const unknownModel = (idOrName: string): Fault =>
  new Fault('model_not_found', `There is no model "${idOrName.slice(0, 200)}".`);
