import { expect, it } from 'vitest';
import { streamEvents } from './stream-events.ts';

const answering = (pieces: readonly string[]) => async () =>
  new Response(
    new ReadableStream({
      start(out) {
        for (const piece of pieces) out.enqueue(new TextEncoder().encode(piece));
        out.close();
      },
    }),
  );
async function all(doFetch: typeof fetch): Promise<unknown[]> {
  const got: unknown[] = [];
  for await (const events of streamEvents('POST /api/playground', { body: {} }, new AbortController().signal, doFetch))
    got.push(...events);
  return got;
}
const stream = ':\n\ndata: {"n":1}\n\ndata: {"text":"an “ü” and\\n"}\n\n:\n\ndata: {"n":3}\n\n';

it('events are complete, wherever the chunks end', async () => {
  const bytes = [...stream];
  for (const size of [1, 2, 3, 7, 30, stream.length]) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
      bytes.slice(n * size, (n + 1) * size).join(''),
    );
    expect(await all(answering(pieces) as typeof fetch)).toEqual([{ n: 1 }, { text: 'an “ü” and\n' }, { n: 3 }]);
  }
});

it('an error response is thrown as for other requests', async () => {
  const refused = async () =>
    Response.json({ error: { code: 'rate_limit_exceeded', message: 'busy' } }, { status: 429 });
  await expect(all(refused as typeof fetch)).rejects.toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
});
