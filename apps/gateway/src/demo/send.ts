import { demoTask } from './tasks.ts';

/** The target of demo turns. */
export interface DemoTarget {
  /** The gateway's own address, e.g. `http://127.0.0.1:4000`. */
  readonly url: string;
  readonly key: string;
}

/**
 * Sends the n-th demo request through the gateway like any client, and reads the response to its end. Rejects without a
 * response.
 */
export async function sendDemoTurn({ url, key }: DemoTarget, n: number, signal: AbortSignal): Promise<void> {
  const { model, ask, tools, stream } = demoTask(n);
  const reply = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${key}`,
      'user-agent': 'callsmith-demo/1.0',
    },
    body: JSON.stringify({
      model,
      stream,
      messages: [
        { role: 'system', content: 'You are a careful assistant. Use the tools.' },
        { role: 'user', content: ask },
      ],
      tools,
    }),
    signal,
  });
  await reply.arrayBuffer();
}
