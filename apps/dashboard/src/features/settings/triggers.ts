import type { TriggerValues } from './webhook-values.ts';

interface Threshold {
  readonly name: keyof TriggerValues;
  /** Unique in the form: tests and screen readers find a field by it. */
  readonly label: string;
  readonly min: number;
  readonly max: number;
  readonly suffix?: string;
}

interface Trigger {
  readonly name:
    | 'failedRate'
    | 'malformedRate'
    | 'failureBudget'
    | 'errorRate'
    | 'slowFirstToken'
    | 'noRequests'
    | 'upstreamDown'
    | 'budgetSpent'
    | 'spend'
    | 'recordLost';
  readonly label: string;
  readonly thresholds: readonly Threshold[];
}

const percent = { min: 1, max: 100, suffix: ' %' } as const;
const upToADay = { min: 5, max: 1440, suffix: ' min' } as const;
const count = { min: 1, max: 1_000_000 } as const;

/** What there are alerts about, as the form shows it. */
export const triggersIn = (currency: string): readonly Trigger[] => [
  {
    name: 'failedRate',
    label: 'Tool-call failure rate',
    thresholds: [
      { name: 'failedShare', label: 'Threshold', ...percent },
      { name: 'failedMinutes', label: 'Over the last', ...upToADay },
      { name: 'failedCalls', label: 'Minimum requests', ...count },
    ],
  },
  {
    name: 'malformedRate',
    label: 'Malformed calls',
    thresholds: [
      { name: 'malformedShare', label: 'Malformed share', ...percent },
      { name: 'malformedMinutes', label: 'Malformed over the last', ...upToADay },
      { name: 'malformedCalls', label: 'Minimum requests with calls', ...count },
    ],
  },
  { name: 'failureBudget', label: 'Failure budget of a model used up too fast', thresholds: [] },
  {
    name: 'errorRate',
    label: 'Request error rate',
    thresholds: [
      { name: 'errorShare', label: 'Error share', ...percent },
      { name: 'errorMinutes', label: 'Errors over the last', ...upToADay },
      { name: 'errorRequests', label: 'Minimum requests (errors)', ...count },
    ],
  },
  {
    name: 'slowFirstToken',
    label: 'First token late in 1 of 20 requests',
    thresholds: [
      { name: 'slowSeconds', label: 'Later than', min: 0.1, max: 3600, suffix: ' s' },
      { name: 'slowMinutes', label: 'Late over the last', ...upToADay },
      { name: 'slowRequests', label: 'Minimum requests (first token)', ...count },
    ],
  },
  { name: 'noRequests', label: 'No requests', thresholds: [{ name: 'idleMinutes', label: 'None for', ...upToADay }] },
  {
    name: 'upstreamDown',
    label: 'Upstream unreachable',
    thresholds: [{ name: 'downMinutes', label: 'For at least', min: 1, max: 1440, suffix: ' min' }],
  },
  { name: 'budgetSpent', label: 'Budget nearly spent', thresholds: [{ name: 'spentShare', label: 'At', ...percent }] },
  {
    name: 'spend',
    label: 'Spend over a limit',
    thresholds: [
      { name: 'spendAmount', label: `More than (${currency})`, min: 0.01, max: 1_000_000_000 },
      { name: 'spendHours', label: 'In the last', min: 1, max: 744, suffix: ' h' },
    ],
  },
  { name: 'recordLost', label: 'Requests could not be recorded', thresholds: [] },
];
