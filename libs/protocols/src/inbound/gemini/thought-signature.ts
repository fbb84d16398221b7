import { carryingSignatureOf, reasoningIn } from '../reasoning-signature.ts';

/**
 * The signature that carries a response's reasoning, as base64: clients send it back with its call, and parse it as
 * bytes.
 */
export const thoughtSignature = (reasoning: string): string => btoa(carryingSignatureOf(reasoning));

/** The reasoning in a returned signature; undefined: it is not the gateway's. */
export function signedReasoning(signature: string): string | undefined {
  try {
    return reasoningIn('', atob(signature));
  } catch {
    return undefined;
  }
}
