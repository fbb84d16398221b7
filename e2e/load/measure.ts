import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Cell, requestBody } from './cells.ts';
import { cpuMicros, type Peer, rssKb } from './peers.ts';

/** The result of one peer in one round of one cell. Times in microseconds. */
export interface Figures {
  readonly requestsPerSecond: number;
  readonly eventsPerSecond: number;
  readonly cpuPerRequest: number;
  readonly cpuPerEvent: number;
  readonly firstTokenP50: number;
  readonly chunkP50: number;
  readonly chunkP99: number;
  readonly errors: number;
  /** Resident memory at its end, in KB. */
  readonly rss: number;
  /** Maximum growth of resident memory while it ran, divided by connections; in KB. Only of a thousand connections. */
  readonly rssPerStream: number;
}

const run = promisify(execFile);

/** Runs the load generator on one peer. Throws if it cannot be run. */
export async function measure(peer: Peer, cell: Cell, folder: string, load: string): Promise<Figures> {
  const body = join(folder, `${cell.name}.json`);
  writeFileSync(body, requestBody(cell));
  const args = [
    '-P',
    String(peer.port),
    '-u',
    peer.path,
    '-c',
    String(cell.connections),
    '-t',
    String(cell.seconds),
    '-f',
    body,
    '-k',
    peer.key,
  ];
  for (const header of peer.headers) args.push('-H', header);
  if (cell.stream) args.push('-s');
  if (cell.rampMs !== undefined) args.push('-r', String(cell.rampMs));
  if (cell.warm !== undefined) args.push('-w', String(cell.warm));
  const before = peer.pid ? cpuMicros(peer.pid) : 0;
  const rest = peer.pid ? rssKb(peer.pid) : 0;
  let most = rest;
  const watch = setInterval(() => {
    if (peer.pid && cell.connections >= 1000) most = Math.max(most, rssKb(peer.pid));
  }, 500);
  const { stdout } = await run(load, args, { maxBuffer: 16e6 }).finally(() => clearInterval(watch));
  const cpu = peer.pid ? cpuMicros(peer.pid) - before : 0;
  const found = JSON.parse(stdout) as Record<string, number>;
  const of = (name: string) => found[name] ?? 0;
  return {
    requestsPerSecond: of('rps'),
    eventsPerSecond: of('events') / of('secs'),
    cpuPerRequest: cpu / Math.max(1, of('ok')),
    cpuPerEvent: cpu / Math.max(1, of('events')),
    firstTokenP50: of('ttft_p50'),
    chunkP50: of('ch_p50'),
    chunkP99: of('ch_p99'),
    errors: of('errors'),
    rss: peer.pid ? rssKb(peer.pid) : 0,
    rssPerStream: (most - rest) / cell.connections,
  };
}

/** The lower quartile of a metric over the rounds; of a rate the upper one. */
export function quartile(values: readonly number[], side: 'lower' | 'upper'): number {
  const sorted = [...values].sort((a, b) => (side === 'lower' ? a - b : b - a));
  return sorted[Math.floor((sorted.length - 1) / 4)] ?? Number.NaN;
}
