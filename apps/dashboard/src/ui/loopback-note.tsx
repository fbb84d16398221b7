import { Alert } from '@mantine/core';
import { isLoopback } from '../lib/loopback.ts';

/** Says of an address that is handed out that it works on this machine only, where it does; `what`: e.g. `This link`. */
export const LoopbackNote = ({ address, what }: { address: string; what: string }) =>
  isLoopback(address) ? (
    <Alert color="yellow" variant="light">
      {what} uses <code>{new URL(address).host}</code>, which works only on the machine that runs Callsmith. For other
      machines, open the dashboard at an address that they can reach, or set <code>PUBLIC_URL</code>.
    </Alert>
  ) : null;
