import { argumentCases } from './argument-cases.ts';
import { callCases } from './call-cases.ts';
import { historyCases } from './history-cases.ts';
import type { Nonces } from './nonces.ts';
import type { ProbeCase } from './probe-case.ts';
import { textCases } from './text-cases.ts';

/** The twenty cases, in order. */
export const probeCases = (nonces: Nonces): readonly ProbeCase[] =>
  [callCases, argumentCases, textCases, historyCases]
    .flatMap((cases) => cases(nonces))
    .sort((a, b) => a.number - b.number);
