import { type CapabilityName, capabilityNames, type Sourced } from '@callsmith/contracts';
import type { Source } from '@callsmith/turn';

/** Capabilities as they are kept with a model: those that somebody declared or its server told. */
type Capabilities = { readonly [Name in CapabilityName]?: Sourced<boolean> };

/** Reads what is kept. */
export const capabilitiesOf = (kept: unknown): Capabilities => (kept ?? {}) as Capabilities;

/** What is kept, without who said so. */
export const capabilityValues = (capabilities: Capabilities): { readonly [Name in CapabilityName]?: boolean } =>
  Object.fromEntries(
    capabilityNames.flatMap((name) => {
      const known = capabilities[name];
      return known ? [[name, known.value]] : [];
    }),
  );

/** What is kept after somebody declared some; null takes a declaration back. */
export function withDeclared(
  kept: unknown,
  asked: { readonly [Name in CapabilityName]?: boolean | null | undefined },
): Record<string, { value: boolean; source: Source }> {
  const next = { ...(capabilitiesOf(kept) as Record<string, { value: boolean; source: Source }>) };
  for (const name of capabilityNames) {
    const value = asked[name];
    if (typeof value === 'boolean') next[name] = { value, source: 'declared' };
    else if (value === null && next[name]?.source === 'declared') delete next[name];
  }
  return next;
}
