import { dialectNamed, dialects } from '@callsmith/toolcall';
import { Fault } from '@callsmith/turn';

/** Throws where somebody names a dialect that there is not; `auto`, null and undefined name none. */
export function refuseUnknownDialect(name: string | null | undefined): void {
  if (name === undefined || name === null || name === 'auto' || dialectNamed(name)) return;
  const known = ['auto', ...dialects.map((dialect) => dialect.name)].join(', ');
  const message = `there is no dialect "${name}"; there are ${known}`;
  throw new Fault('invalid_parameter', `dialect: ${message}`, {
    param: 'dialect',
    fields: [{ path: 'dialect', message }],
  });
}
