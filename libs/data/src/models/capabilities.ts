import { type CapabilityName, capabilityNames, type Sourced } from '@callsmith/contracts';
import type { Source } from '@callsmith/turn';

/** A model's stored capabilities: declared ones and those that its server reports. */
type Capabilities = { readonly [Name in CapabilityName]?: Sourced<boolean> };

/** Parses the stored capabilities. */
export const capabilitiesOf = (kept: unknown): Capabilities => (kept ?? {}) as Capabilities;

/** The stored capabilities without their source. */
export const capabilityValues = (capabilities: Capabilities): { readonly [Name in CapabilityName]?: boolean } =>
  Object.fromEntries(
    capabilityNames.flatMap((name) => {
      const capability = capabilities[name];
      return capability ? [[name, capability.value]] : [];
    }),
  );

/** The stored capabilities after a declaration; null removes one. */
export function withDeclared(
  kept: unknown,
  declared: { readonly [Name in CapabilityName]?: boolean | null | undefined },
): Record<string, { value: boolean; source: Source }> {
  const next = { ...(capabilitiesOf(kept) as Record<string, { value: boolean; source: Source }>) };
  for (const name of capabilityNames) {
    const value = declared[name];
    if (typeof value === 'boolean') next[name] = { value, source: 'declared' };
    else if (value === null && next[name]?.source === 'declared') delete next[name];
  }
  return next;
}
