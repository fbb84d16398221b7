import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { yieldToOthers } from './event-loop.ts';

it('what has arrived is handled before the work goes on, also if it yields while input is being handled', async () => {
  const accepted: Socket[] = [];
  const server = createServer((socket) => accepted.push(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const [first, second] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
  while (accepted.length < 2) await new Promise(setImmediate);
  const toSecond = accepted.find(({ remotePort }) => remotePort === second.localPort);
  const order: string[] = [];
  second.on('data', () => order.push('input'));
  const worked = new Promise<void>((done) => {
    first.once('data', () => {
      toSecond?.write('a');
      void yieldToOthers()
        .then(() => order.push('work'))
        .then(() => done());
    });
  });
  for (const socket of accepted) if (socket !== toSecond) socket.write('a');
  await worked;
  expect(order).toEqual(['input', 'work']);
  first.destroy();
  second.destroy();
  server.close();
});
