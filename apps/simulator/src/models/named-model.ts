import type { Controls } from '../controls.ts';

/** A named model, by its differences from the default, a faultless native caller. */
export interface NamedModel {
  readonly about: string;
  readonly controls: Partial<Controls>;
}
