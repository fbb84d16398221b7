import type { Controls } from '../controls.ts';

/** A model with a name of its own: what it does differently from the default, a faultless native caller. */
export interface NamedModel {
  readonly about: string;
  readonly controls: Partial<Controls>;
}
