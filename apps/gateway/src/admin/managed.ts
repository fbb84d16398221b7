import { Fault } from '@callsmith/turn';

/** A row that the configuration file may manage. */
interface Managed {
  readonly managedBy: string | null;
}

/** What manages a row, as the API shows it. */
export const managedBy = (row: Managed): 'file' | null => (row.managedBy === 'file' ? 'file' : null);

/** Throws a 409 if the configuration file manages a row; `what`: e.g. `This key`. */
export function refuseManaged(row: Managed, what: string): void {
  if (row.managedBy === 'file')
    throw new Fault('conflict', `${what} is managed by the configuration file (CONFIG_FILE): change it there.`);
}
