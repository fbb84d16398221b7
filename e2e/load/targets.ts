import type { Figures } from './measure.ts';

/** One figure of the table, held against what we promise. */
export interface Target {
  readonly say: string;
  readonly cell: string;
  readonly figure: keyof Figures;
  /** The peer it is divided by; absent: the figure itself. */
  readonly against?: string;
  /** What the figure counts, where it is not divided. */
  readonly unit?: string;
  /** `added`: both less direct's of the same round. */
  readonly added?: boolean;
  readonly must: number;
  readonly aim: number;
  /** True: more is better. */
  readonly atLeast?: boolean;
  /** Compared by `--check`; latencies are only shown. */
  readonly gated?: boolean;
}

/** What must hold, as ratios of one run. */
export const targets: readonly Target[] = [
  {
    say: 'requests/s against Portkey, 2 KB',
    cell: 'json-16',
    figure: 'requestsPerSecond',
    against: 'portkey',
    must: 5,
    aim: 7,
    atLeast: true,
  },
  {
    say: 'requests/s against Portkey, 43 KB',
    cell: 'json-16-large',
    figure: 'requestsPerSecond',
    against: 'portkey',
    must: 3.5,
    aim: 5,
    atLeast: true,
  },
  {
    say: 'CPU per request against the Nest pipe, 2 KB',
    cell: 'json-16',
    figure: 'cpuPerRequest',
    against: 'nest',
    must: 3,
    aim: 2,
    gated: true,
  },
  {
    say: 'CPU per event against baseline, paced',
    cell: 'paced-100',
    figure: 'cpuPerEvent',
    against: 'baseline',
    must: 1.1,
    aim: 0.85,
    gated: true,
  },
  {
    say: 'CPU per event against baseline, saturated',
    cell: 'saturated',
    figure: 'cpuPerEvent',
    against: 'baseline',
    must: 1.1,
    aim: 0.9,
    gated: true,
  },
  {
    say: 'CPU per event against baseline, bursts',
    cell: 'bursts',
    figure: 'cpuPerEvent',
    against: 'baseline',
    must: 0.9,
    aim: 0.6,
    gated: true,
  },
  {
    say: 'CPU per event against Portkey, paced',
    cell: 'paced-100',
    figure: 'cpuPerEvent',
    against: 'portkey',
    must: 0.45,
    aim: 0.35,
    gated: true,
  },
  {
    say: 'added time to first token p50, 50 warm streams, against nginx',
    cell: 'paced-50',
    figure: 'firstTokenP50',
    against: 'nginx',
    added: true,
    must: 10,
    aim: 6,
  },
  {
    say: 'added chunk time p50 against nginx',
    cell: 'paced-50',
    figure: 'chunkP50',
    against: 'nginx',
    added: true,
    must: 3,
    aim: 2,
  },
  {
    say: 'added chunk time p99 against the raw pipe',
    cell: 'paced-50',
    figure: 'chunkP99',
    against: 'raw',
    added: true,
    must: 1.5,
    aim: 0.7,
  },
  {
    say: 'RSS per stream at 1000 streams, fresh process',
    cell: 'paced-1000',
    figure: 'rssPerStream',
    unit: 'KB',
    must: 120,
    aim: 70,
  },
];
