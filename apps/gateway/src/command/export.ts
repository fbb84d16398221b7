import { setTimeout as sleep } from 'node:timers/promises';
import type { api, InputOf } from '@callsmith/contracts';
import { Refused } from './exit-codes.ts';
import type { Gateway } from './gateway.ts';

/** How often the gateway is polled for the file. */
const EVERY_MS = 500;

/** Requests a file of recorded requests, writes its text to `out`, and deletes it. Throws `ApiError`. */
export async function fetchExport(
  { client, download }: Gateway,
  filter: InputOf<typeof api.exports.create>['body'],
  out: (text: string) => void,
): Promise<void> {
  const { id } = await client.exports.create({ body: filter });
  try {
    for (let state = 'waiting'; state !== 'ready'; ) {
      await sleep(EVERY_MS);
      const mine = (await client.exports.list()).items.find((item) => item.id === id);
      if (mine === undefined || mine.state === 'failed') throw new Refused('The gateway could not prepare the file.');
      state = mine.state;
    }
    const decoder = new TextDecoder();
    for await (const piece of await download(`/api/exports/${id}/file`)) out(decoder.decode(piece, { stream: true }));
    out(decoder.decode());
  } finally {
    await client.exports.remove({ params: { id } });
  }
}
