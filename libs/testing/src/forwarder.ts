import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A connection to a database that tests can cut and restore, `to` another address if it has moved. */
export async function forwarder(
  url: string,
): Promise<{ url: string; cut(): void; restore(to?: string): void; stop(): Promise<void> }> {
  let target = new URL(url);
  const open = new Set<Socket>();
  let whole = true;
  const server = createServer((near) => {
    if (!whole) return void near.destroy();
    const far = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        open.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const listenUrl = new URL(url);
  listenUrl.hostname = '127.0.0.1';
  listenUrl.port = String((server.address() as AddressInfo).port);
  const cut = () => {
    whole = false;
    for (const socket of open) socket.destroy();
  };
  return {
    url: listenUrl.href,
    cut,
    restore: (to) => {
      if (to !== undefined) target = new URL(to);
      whole = true;
    },
    stop: () => {
      cut();
      return new Promise((done) => void server.close(() => done()));
    },
  };
}
