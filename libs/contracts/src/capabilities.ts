/** What a model may be able to do by itself; its value says whether it can. */
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

/** How a capability is called on screen. */
export const capabilityLabel = (name: CapabilityName): string => labels[name];

/** A value for each capability. */
export const byCapability = <T>(value: (name: CapabilityName) => T): Record<CapabilityName, T> =>
  Object.fromEntries(capabilityNames.map((name) => [name, value(name)])) as Record<CapabilityName, T>;
