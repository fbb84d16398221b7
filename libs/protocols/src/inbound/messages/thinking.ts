import type { Turn } from '@callsmith/turn';
import { carryingSignatureOf, signatureOf } from '../reasoning-signature.ts';

/** What a client gets of reasoning: its text, blocks without it, or nothing. */
export type ThinkingDisplay = 'text' | 'omitted' | 'none';

/** What the client of a turn gets of reasoning; the text where it did not say. */
export const thinkingDisplay = ({ echo }: Turn): ThinkingDisplay =>
  echo?.thinking === 'omitted' || echo?.thinking === 'none' ? echo.thinking : 'text';

/** The signature of a thinking block; where the client wants the block without its text, the signature carries it. */
export const thinkingSignature = (text: string, shown: ThinkingDisplay): string =>
  shown === 'text' ? signatureOf(text) : carryingSignatureOf(text);
