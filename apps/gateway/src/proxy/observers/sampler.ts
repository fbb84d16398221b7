import { getNumberFromEnv, getStringFromEnv } from '@opentelemetry/core';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';

/** The sampler of `OTEL_TRACES_SAMPLER` and `OTEL_TRACES_SAMPLER_ARG`; unknown ones count as `parentbased_always_on`. */
export function samplerFromEnv(): Sampler {
  const name = getStringFromEnv('OTEL_TRACES_SAMPLER') ?? '';
  const own = name.replace(/^parentbased_/, '');
  const sampler = ownSamplers[own]?.() ?? new AlwaysOnSampler();
  return name === own && own in ownSamplers ? sampler : new ParentBasedSampler({ root: sampler });
}

const ownSamplers: Readonly<Record<string, () => Sampler>> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: () => new TraceIdRatioBasedSampler(ratio()),
};

function ratio(): number {
  const argument = getNumberFromEnv('OTEL_TRACES_SAMPLER_ARG');
  return argument !== undefined && argument >= 0 && argument <= 1 ? argument : 1;
}
