import { type RateInterval, wilson } from './statistics/wilson.ts';

/** The result of one request of one arm. */
export interface ArmRow {
  /** The index of its question. */
  readonly key: string;
  readonly case: number;
  /** A call was expected. */
  readonly wanted: boolean;
  readonly right: boolean;
  /** Delivered calls, and whether all of them satisfy their schemas. */
  readonly calls: number;
  readonly valid: boolean;
  /** It needed no repair, no correction and no retreat. */
  readonly clean: boolean;
  readonly refused: boolean;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly firstTokenMs: number | null;
}

/** The quality and the cost of an arm. Rates are null if no question measures them. */
export interface ArmResult {
  /** Right answers. */
  readonly right: RateInterval | null;
  /** Right answers without any repair: by the model alone. */
  readonly clean: RateInterval | null;
  /** F1 of calling when a call is expected, as K2-Vendor-Verifier's `tool_call_f1`; 0 to 1. */
  readonly triggerF1: number | null;
  /** Of answers with calls, those whose calls all satisfy their schemas: its `schema_accuracy`. */
  readonly schemaAccuracy: RateInterval | null;
  readonly refused: number;
  /** Right answers and total, by case. */
  readonly cases: readonly { readonly case: number; readonly right: number; readonly n: number }[];
  /** Means per request. */
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** Median. */
  readonly firstTokenMs: number | null;
}

/** Summarizes an arm. */
export function armResult(rows: readonly ArmRow[]): ArmResult {
  const answered = rows.filter(({ refused }) => !refused);
  const withCalls = answered.filter(({ calls }) => calls > 0);
  return {
    right: wilson(
      count(rows, ({ right }) => right),
      rows.length,
    ),
    clean: wilson(
      count(rows, ({ right, clean }) => right && clean),
      rows.length,
    ),
    triggerF1: f1(answered),
    schemaAccuracy: wilson(
      count(withCalls, ({ valid }) => valid),
      withCalls.length,
    ),
    refused: rows.length - answered.length,
    cases: byCase(rows),
    inputTokens: mean(answered.map(({ inputTokens }) => inputTokens)),
    outputTokens: mean(answered.map(({ outputTokens }) => outputTokens)),
    firstTokenMs: median(answered.map(({ firstTokenMs }) => firstTokenMs)),
  };
}

const count = <T>(values: readonly T[], holds: (value: T) => boolean): number => values.filter(holds).length;

function f1(rows: readonly ArmRow[]): number | null {
  const hits = count(rows, ({ wanted, calls }) => wanted && calls > 0);
  const wrong = count(rows, ({ wanted, calls }) => wanted !== calls > 0);
  return hits + wrong === 0 ? null : (2 * hits) / (2 * hits + wrong);
}

function byCase(rows: readonly ArmRow[]): ArmResult['cases'] {
  const cases = new Map<number, { case: number; right: number; n: number }>();
  for (const { case: number, right } of rows) {
    const sum = cases.get(number) ?? { case: number, right: 0, n: 0 };
    cases.set(number, { ...sum, right: sum.right + (right ? 1 : 0), n: sum.n + 1 });
  }
  return [...cases.values()].sort((one, other) => one.case - other.case);
}

const withoutNulls = (values: readonly (number | null)[]): number[] => values.filter((value) => value !== null);

function mean(values: readonly (number | null)[]): number | null {
  const all = withoutNulls(values);
  return all.length === 0 ? null : Math.round(all.reduce((sum, value) => sum + value, 0) / all.length);
}

function median(values: readonly (number | null)[]): number | null {
  const all = withoutNulls(values).sort((one, other) => one - other);
  return all[Math.floor((all.length - 1) / 2)] ?? null;
}
