import { dialectNamed, dialects } from '@callsmith/toolcall';
import { fieldFault } from '../field-fault.ts';

/** Throws for an unknown dialect; `auto`, null and undefined are accepted. `path`: that of its field. */
export function refuseUnknownDialect(name: string | null | undefined, path = 'dialect'): void {
  if (name === undefined || name === null || name === 'auto' || dialectNamed(name)) return;
  const knownNames = ['auto', ...dialects.map((dialect) => dialect.name)].join(', ');
  throw fieldFault({ path, message: `must be one of ${knownNames}; found "${name}"` });
}
