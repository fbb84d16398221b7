/** A capability that a model may have; its value says whether it has it. */
const labels = {
  /** Native tool calls. */
  tools: 'Native tools',
  /** Several calls in one turn. */
  parallel: 'Parallel calls',
  /** Schemas that the server enforces. */
  strict: 'Strict schemas',
} as const;

export type CapabilityName = keyof typeof labels;

export const capabilityNames = Object.keys(labels) as readonly CapabilityName[];

/** The labels of the capabilities. */
export const capabilityLabel = (name: CapabilityName): string => labels[name];

/** A value for each capability. */
export const byCapability = <T>(value: (name: CapabilityName) => T): Record<CapabilityName, T> =>
  Object.fromEntries(capabilityNames.map((name) => [name, value(name)])) as Record<CapabilityName, T>;
