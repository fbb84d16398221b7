import type { api, InputOf } from '@callsmith/contracts';
import { queryOptions } from '@tanstack/react-query';
import { client } from '../../../lib/api.ts';
import { boundsOf, type Period } from '../../../lib/period.ts';

/** How the address says: in the dialect of then. */
export const recordedDialect = 'then';

type Filter = Omit<InputOf<typeof api.replays.read>['body'], 'turn' | 'dialect' | 'limit' | 'from' | 'to'>;

// Asked for once: every access to message content is audited.
const once = { staleTime: Number.POSITIVE_INFINITY, retry: false } as const;

const dialectOf = (word: string) => (word === recordedDialect ? {} : { dialect: word });

/** One turn's answer, read again. */
export const turnReplay = (turn: string, dialect: string) =>
  queryOptions({
    queryKey: ['replay', turn, dialect],
    queryFn: ({ signal }) => client.replays.read({ body: { turn, ...dialectOf(dialect) } }, signal),
    ...once,
  });

/** The answers of the newest turns that fit, read again. */
export const manyReplay = (period: Period, filter: Filter, dialect: string) =>
  queryOptions({
    queryKey: ['replay', period, filter, dialect],
    queryFn: ({ signal }) =>
      client.replays.read({ body: { ...boundsOf(period), ...filter, ...dialectOf(dialect) } }, signal),
    ...once,
  });

export type Replay = Awaited<ReturnType<typeof client.replays.read>>;
