import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cells, requestBody } from './cells.ts';
import { type Peer, rssKb } from './peers.ts';

const run = promisify(execFile);
const streams = 200;
const model = 'mock-n600-d10000';

/**
 * 200 streams for some minutes; reports resident memory at rest, while running and afterwards. 0 if it did not grow.
 */
export async function soak(
  peers: readonly Peer[],
  load: string,
  minutes: number,
  print: (text: string) => void,
): Promise<number> {
  const peer = peers.find(({ name }) => name === 'callsmith');
  if (!peer) throw new Error('the gateway could not be started');
  const body = join(tmpdir(), `callsmith-soak-${process.pid}.json`);
  const cell = cells.find(({ name }) => name === 'paced-100');
  if (!cell) throw new Error('the cell paced-100 is gone');
  writeFileSync(body, requestBody({ ...cell, model }));
  const rest = rssKb(peer.pid);
  print(`at rest: ${mb(rest)}`);
  const samples: number[] = [];
  const timer = setInterval(() => {
    samples.push(rssKb(peer.pid));
    print(`${((samples.length * everyMs) / 60_000).toFixed(1)} min: ${mb(samples.at(-1) ?? 0)}`);
  }, everyMs);
  const args = [
    '-P',
    String(peer.port),
    '-c',
    String(streams),
    '-t',
    String(minutes * 60),
    '-f',
    body,
    '-k',
    peer.key,
    '-s',
    '-r',
    '2000',
  ];
  const { stdout } = await run(load, args, { maxBuffer: 16e6 });
  clearInterval(timer);
  await new Promise((wait) => setTimeout(wait, 10_000));
  const after = rssKb(peer.pid);
  const half = samples.slice(Math.floor(samples.length / 4));
  const early = mean(half.slice(0, Math.ceil(half.length / 2)));
  const late = mean(half.slice(Math.ceil(half.length / 2)));
  print(`after: ${mb(after)}; first half ${mb(early)}, second half ${mb(late)}; ${stdout.trim()}`);
  const grew = late > early * 1.1;
  print(grew ? 'Memory grew by more than 10 % from the first half to the second.' : 'Memory did not grow.');
  return grew ? 1 : 0;
}

const everyMs = 15_000;
const mb = (kb: number): string => `${(kb / 1024).toFixed(0)} MB`;
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
