import type { Dialect } from '../dialect.ts';
import { hermes } from './hermes.ts';

/** Every dialect, in the order in which they are tried where two share an opener. */
export const dialects: readonly Dialect[] = [hermes];

const byName = new Map(dialects.map((dialect) => [dialect.name, dialect]));

/** The dialect of that name; undefined for `auto` and for names that there are not. */
export const dialectNamed = (name: string): Dialect | undefined => byName.get(name);
