import type { TurnDetail } from '@callsmith/contracts';
import { rawText } from '../raw.tsx';

type Body = NonNullable<TurnDetail['body']>;

/** Two texts of recorded requests that can be compared; `name` is in the URL. */
export interface Comparison {
  readonly name: string;
  readonly label: string;
  readonly before: { readonly title: string; readonly text: string };
  readonly after: { readonly title: string; readonly text: string };
}

/** What can be compared within one request: what the gateway made of it, and each try with the one before. */
export function withinRequest(body: Body): Comparison[] {
  const tries = (body.tries ?? []).map((one) => ({ ...one, raw: one.delivered ? body.raw : one.raw }));
  return [
    ...pair('sent', 'Client request and upstream request', {
      before: ['Client request', body.clientRequest],
      after: ['Upstream request', body.upstreamRequest],
    }),
    ...tries.slice(1).flatMap((later, at) => {
      const [first, second] = [`Try ${at + 1}`, `Try ${at + 2}`];
      const sent = (attempt: typeof later) =>
        attempt.upstreamRequest ?? (attempt.delivered ? body.upstreamRequest : null);
      return [
        ...pair(`try-${at + 2}`, `Model output of tries ${at + 1} and ${at + 2}`, {
          before: [first, rawText(tries[at]?.raw ?? [])],
          after: [second, rawText(later.raw)],
        }),
        ...pair(`try-${at + 2}-sent`, `Upstream requests of tries ${at + 1} and ${at + 2}`, {
          before: [first, tries[at] ? sent(tries[at]) : null],
          after: [second, sent(later)],
        }),
      ];
    }),
  ];
}

/** What can be compared between one request and another. */
export const betweenRequests = (other: Body, body: Body): Comparison[] =>
  shared.flatMap(([name, label, textOf]) =>
    pair(name, label, { before: ['Other request', textOf(other)], after: ['This request', textOf(body)] }),
  );

const shared: readonly (readonly [name: string, label: string, textOf: (body: Body) => string | null])[] = [
  ['client', 'Client requests', ({ clientRequest }) => clientRequest],
  ['upstream', 'Upstream requests', ({ upstreamRequest }) => upstreamRequest],
  ['output', 'Model output', ({ raw }) => rawText(raw)],
  ['delivered', 'Responses to client', ({ delivered }) => (delivered ? JSON.stringify(delivered) : null)],
];

type Side = readonly [title: string, text: string | null];

/** None where one of the two was not stored. */
function pair(name: string, label: string, { before, after }: { before: Side; after: Side }): Comparison[] {
  if (before[1] === null || after[1] === null) return [];
  return [{ name, label, before: { title: before[0], text: before[1] }, after: { title: after[0], text: after[1] } }];
}
