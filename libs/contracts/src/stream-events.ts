import { errorOf, type RequestParts, type Route, sendRequest } from './client.ts';

const data = 'data: ';

/**
 * The server-sent events of a streaming endpoint, with each one's `data` parsed, as they arrive: those of one chunk
 * together. Throws `ApiError` if it is refused.
 */
export async function* streamEvents<Event>(
  route: Route,
  ask: RequestParts,
  signal: AbortSignal,
  doFetch: typeof fetch = fetch,
): AsyncGenerator<Event[]> {
  const reply = await sendRequest(route, '', doFetch, ask, signal);
  if (!reply.ok || !reply.body) throw errorOf(reply, await reply.json().catch(() => undefined));
  const decoder = new TextDecoder();
  let rest = '';
  for (const reader = reply.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return;
    // The gateway's own format: each event is one line of data or a comment, and an empty line.
    const frames = (rest + decoder.decode(value, { stream: true })).split('\n\n');
    rest = frames.pop() ?? '';
    const dataFrames = frames.filter((frame) => frame.startsWith(data));
    if (dataFrames.length > 0) yield dataFrames.map((frame) => JSON.parse(frame.slice(data.length)) as Event);
  }
}
