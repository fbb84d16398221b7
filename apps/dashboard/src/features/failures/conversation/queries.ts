import { queryOptions } from '@tanstack/react-query';
import { client } from '../../../lib/api.ts';

const MONTH_MS = 30 * 86_400_000;

/** So many requests of a conversation are shown at most. */
export const MOST_SHOWN = 200;

/** The newest requests of a conversation within a month before and after an instant, the oldest first. */
export const conversationQuery = (conversation: string, at: string) =>
  queryOptions({
    queryKey: ['turns', 'conversation', conversation, at],
    queryFn: async ({ signal }) => {
      const from = new Date(Date.parse(at) - MONTH_MS).toISOString();
      const to = new Date(Math.min(Date.parse(at) + MONTH_MS, Date.now())).toISOString();
      const query = { conversation, from, to, limit: MOST_SHOWN };
      const { items, next } = await client.turns.list({ query }, signal);
      return { items: items.reverse(), more: next !== null };
    },
  });
