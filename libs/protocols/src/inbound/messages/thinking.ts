import type { Turn } from '@callsmith/turn';
import { carryingSignatureOf, signatureOf } from '../reasoning-signature.ts';

/** How a client gets reasoning: its text, blocks without text, or not at all. */
export type ThinkingDisplay = 'text' | 'omitted' | 'none';

/** How a turn's client gets reasoning; as text by default. */
export const thinkingDisplay = ({ echo }: Turn): ThinkingDisplay =>
  echo?.thinking === 'omitted' || echo?.thinking === 'none' ? echo.thinking : 'text';

/** The signature of a thinking block; if the client wants the block without its text, the signature carries it. */
export const thinkingSignature = (text: string, shown: ThinkingDisplay): string =>
  shown === 'text' ? signatureOf(text) : carryingSignatureOf(text);
