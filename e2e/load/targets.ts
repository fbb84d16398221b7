import type { Figures } from './measure.ts';

/** One row of the table: a metric and its limit. */
export interface Target {
  readonly title: string;
  readonly cell: string;
  readonly figure: keyof Figures;
  /** The peer it is divided by; undefined: the metric itself. */
  readonly against?: string;
  /** The unit of the metric, if it is not divided. */
  readonly unit?: string;
  /** `added`: both minus direct's of the same round. */
  readonly added?: boolean;
  /** Undefined: the ratio is reported without a limit. */
  readonly must?: number;
  readonly aim?: number;
  /** True: more is better. */
  readonly atLeast?: boolean;
  /** Compared by `--check`; latencies are only shown. */
  readonly gated?: boolean;
}

/** The limits, as ratios of one run; without a limit: only reported. */
export const targets: readonly Target[] = [
  {
    title: 'requests/s against Portkey, 2 KB',
    cell: 'json-16',
    figure: 'requestsPerSecond',
    against: 'portkey',
    must: 5,
    aim: 7,
    atLeast: true,
  },
  {
    title: 'requests/s against Portkey, 43 KB',
    cell: 'json-16-large',
    figure: 'requestsPerSecond',
    against: 'portkey',
    must: 3.5,
    aim: 5,
    atLeast: true,
  },
  {
    title: 'CPU per request against the raw pipe, 2 KB',
    cell: 'json-16',
    figure: 'cpuPerRequest',
    against: 'raw',
    must: 2.5,
    aim: 2,
    gated: true,
  },
  {
    title: 'CPU per request against toolify-rs with function calling, 2 KB',
    cell: 'json-16',
    figure: 'cpuPerRequest',
    against: 'toolify-calls',
    gated: true,
  },
  {
    title: 'CPU per request against the Nest pipe, 43 KB',
    cell: 'json-16-large',
    figure: 'cpuPerRequest',
    against: 'nest',
    must: 1.7,
    aim: 1.4,
    gated: true,
  },
  {
    title: 'CPU per request against toolify-rs with function calling, 43 KB',
    cell: 'json-16-large',
    figure: 'cpuPerRequest',
    against: 'toolify-calls',
    gated: true,
  },
  {
    title: 'CPU per event against the raw pipe, paced',
    cell: 'paced-100',
    figure: 'cpuPerEvent',
    against: 'raw',
    must: 1.1,
    aim: 1,
    gated: true,
  },
  {
    title: 'CPU per event against the raw pipe, saturated',
    cell: 'saturated',
    figure: 'cpuPerEvent',
    against: 'raw',
    must: 1.05,
    aim: 0.95,
    gated: true,
  },
  {
    title: 'CPU per event against toolify-rs, bursts',
    cell: 'bursts',
    figure: 'cpuPerEvent',
    against: 'toolify',
    must: 0.7,
    aim: 0.6,
    gated: true,
  },
  {
    title: 'CPU per event against the Nest pipe with an HTTP client, bursts',
    cell: 'bursts',
    figure: 'cpuPerEvent',
    against: 'baseline',
    must: 0.9,
    aim: 0.6,
    gated: true,
  },
  {
    title: 'CPU per event against toolify-rs, paced',
    cell: 'paced-100',
    figure: 'cpuPerEvent',
    against: 'toolify',
    gated: true,
  },
  {
    title: 'CPU per event against Portkey, paced',
    cell: 'paced-100',
    figure: 'cpuPerEvent',
    against: 'portkey',
    must: 0.45,
    aim: 0.35,
    gated: true,
  },
  {
    title: 'added time to first token p50, 50 warm streams, against nginx',
    cell: 'paced-50',
    figure: 'firstTokenP50',
    against: 'nginx',
    added: true,
    must: 10,
    aim: 6,
  },
  {
    title: 'added time to first token p50, 50 warm streams, against toolify-rs',
    cell: 'paced-50',
    figure: 'firstTokenP50',
    against: 'toolify',
    added: true,
  },
  {
    title: 'added chunk time p50 against nginx',
    cell: 'paced-50',
    figure: 'chunkP50',
    against: 'nginx',
    added: true,
    must: 3,
    aim: 2,
  },
  {
    title: 'added chunk time p99 against the raw pipe',
    cell: 'paced-50',
    figure: 'chunkP99',
    against: 'raw',
    added: true,
    must: 1.3,
    aim: 1,
  },
  {
    title: 'RSS per stream at 1000 streams, fresh process',
    cell: 'paced-1000',
    figure: 'rssPerStream',
    unit: 'KB',
    must: 50,
    aim: 45,
  },
];
