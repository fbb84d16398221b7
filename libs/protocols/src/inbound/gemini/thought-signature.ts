import { carryingSignatureOf, reasoningIn } from '../reasoning-signature.ts';

/**
 * The signature that carries an answer's reasoning, as base64: clients give it back with the call that it stands beside,
 * and read it as bytes.
 */
export const thoughtSignature = (reasoning: string): string => btoa(carryingSignatureOf(reasoning));

/** The reasoning in a signature that came back; undefined: it is not ours. */
export function signedReasoning(signature: string): string | undefined {
  try {
    return reasoningIn('', atob(signature));
  } catch {
    return undefined;
  }
}
