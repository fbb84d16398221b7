import { Button } from '@mantine/core';
import { useAddress } from '../../lib/address.ts';
import type { Period } from '../../lib/period.ts';
import { hasRole, useMe } from '../../lib/session.ts';
import { CsvLink } from '../../ui/csv-link.tsx';
import { Exports } from './exports.tsx';
import { exportAddress, type Filter } from './queries.ts';
import { ReparseMany } from './replay/reparse-many.tsx';

interface Listed {
  readonly period: Period;
  readonly filter: Filter;
  /** All requests, not only failed and repaired ones. */
  readonly all: boolean;
}

/** Exports listed requests as a file and, for editors, parses them again. */
export function ListActions({ files, some, ...listed }: Listed & { files: boolean; some: boolean }) {
  const address = useAddress();
  const me = useMe();
  return (
    <>
      {files && (
        <>
          <CsvLink href={exportAddress(listed.period, listed.filter, listed.all)} />
          <Button size="xs" variant="default" onClick={() => address.set({ exports: 'yes' })}>
            Export all…
          </Button>
        </>
      )}
      {hasRole(me, 'editor') && some && (
        <Button size="xs" variant="default" onClick={() => address.set({ replay: 'choose' })}>
          Re-parse…
        </Button>
      )}
    </>
  );
}

/** The dialogs of these actions; the address holds which one is open. */
export function ListDialogs({ files, period, filter, all }: Listed & { files: boolean }) {
  const address = useAddress();
  const me = useMe();
  return (
    <>
      {hasRole(me, 'editor') && address.get('replay') && (
        <ReparseMany
          period={period}
          filter={all ? filter : { ...filter, failures: 'true' }}
          onClose={() => address.set({ replay: null, differ: null, replaySort: null })}
        />
      )}
      {files && address.get('exports') && (
        <Exports period={period} filter={filter} all={all} onClose={() => address.set({ exports: null })} />
      )}
    </>
  );
}
