import { Fault } from '@callsmith/turn';

/** Somebody names a model, by id or name, that is not there. */
export const unknownModel = (idOrName: string): Fault =>
  new Fault('model_not_found', `There is no model "${idOrName.slice(0, 200)}".`);
