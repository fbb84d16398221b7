import type { api, InputOf } from '@callsmith/contracts';
import { transcriptCases } from '@callsmith/evaluate';
import type { Gateway } from './gateway.ts';

/** How many requests are loaded at a time. */
const PAGE = 100;

type Query = InputOf<typeof api.turns.list>['query'];

/** The failures to export, at most `most`; without an outcome those that failed and those with invalid calls. */
export interface FailureFilter extends Pick<Query & object, 'from' | 'to' | 'model' | 'outcome'> {
  readonly most: number;
}

/**
 * Writes the model output of failed requests to `out`, a JSON line each, newest first within an outcome, and returns
 * how many requests were written and how many have no bodies any more (or never had). Throws `ApiError`.
 */
export async function exportFailures(
  { client }: Gateway,
  { most, outcome, ...filter }: FailureFilter,
  out: (text: string) => void,
): Promise<{ written: number; withoutTexts: number }> {
  const count = { written: 0, withoutTexts: 0 };
  for (const one of outcome === undefined ? (['failed', 'invalid'] as const) : [outcome]) {
    let cursor: string | undefined; // of the next page
    do {
      const page = await client.turns.list({
        query: { ...filter, outcome: one, limit: PAGE, ...(cursor && { cursor }) },
      });
      for (const { id } of page.items) {
        if (count.written >= most) return count;
        const { turn, body } = await client.turns.show({ params: { id } });
        if (body === null || body.raw.length === 0) {
          count.withoutTexts++;
          continue;
        }
        for (const line of transcriptCases({ turn, body })) out(`${JSON.stringify(line)}\n`);
        count.written++;
      }
      cursor = page.next ?? undefined;
    } while (cursor !== undefined);
  }
  return count;
}
