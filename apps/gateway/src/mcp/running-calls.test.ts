import { expect, it } from 'vitest';
import { type CallName, RunningCalls } from './running-calls.ts';

/** The store that all gateways share. */
function sharedStore() {
  const used = new Map<string, number>();
  return {
    lease: async (name: string) => {
      used.set(name, 1);
      return { granted: 1, used: 1, begins: 0, clock: 0 };
    },
    read: async (name: string) => used.get(name) ?? 0,
  };
}

const call: CallName = { keyId: 'key_1', server: 'files', session: 's', requestId: 1 };
const untilStopped = (signal: AbortSignal): Promise<string> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve('stopped'), { once: true }));

it('a call is cancelled where it runs, and also by another gateway that receives the message', async () => {
  const store = sharedStore();
  const [one, other] = [new RunningCalls(store), new RunningCalls(store)];
  const localCall = one.run(call, untilStopped);
  await one.cancel(call);
  expect(await localCall).toBe('stopped');
  const remoteCall = one.run({ ...call, requestId: 2 }, untilStopped);
  await other.cancel({ ...call, requestId: 2 });
  expect(await remoteCall).toBe('stopped');
});

it.each([{ keyId: 'key_2' }, { server: 'other' }, { session: 't' }, { requestId: '1' }, { requestId: 2 }])(
  'a call that differs by %j continues',
  async (differs) => {
    const running = new RunningCalls(sharedStore());
    let finish = (_: string): void => {};
    let signal: AbortSignal | undefined;
    const made = running.run(call, (received) => {
      signal = received;
      return new Promise<string>((resolve) => {
        finish = resolve;
      });
    });
    await running.cancel({ ...call, ...differs });
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(signal?.aborted).toBe(false);
    finish('done');
    expect(await made).toBe('done');
  },
);
