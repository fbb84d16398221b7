import {
  type FinishReason,
  type FoldedCall,
  holdNumbersOf,
  type JsonObject,
  type Turn,
  type Usage,
} from '@callsmith/turn';
import { argumentsObject } from '../../arguments-object.ts';
import { reasoningTokens } from '../reasoning-tokens.ts';
import { thoughtSignature } from './thought-signature.ts';
import { clientName } from './tools.ts';

/** Why an answer ended, as this API says it; a call is an end like any other. */
export function finishReasonOf(reason: FinishReason | undefined): string {
  if (reason === 'length') return 'MAX_TOKENS';
  return reason === 'content_filter' ? 'SAFETY' : 'STOP';
}

/** A call as a part. `reasoning`: what the model thought before it, which comes back with it; empty: nothing. */
export function callPart(turn: Turn, call: Pick<FoldedCall, 'id' | 'name' | 'arguments'>, reasoning: string) {
  const args = argumentsObject(call.arguments) ?? { input: call.arguments };
  const part = {
    functionCall: { id: call.id, name: clientName(turn, call.name), args },
    ...(reasoning !== '' && { thoughtSignature: thoughtSignature(reasoning) }),
  };
  holdNumbersOf([args], part);
  return part;
}

/** True if the client wants to see what the model thought. */
export const showsThoughts = ({ echo }: Turn): boolean => echo?.thoughts === true;

/** Token counts in this API's form, where reasoning is not among the answer's. */
export function usageMetadata(usage: Usage | undefined): JsonObject {
  if (usage === undefined) return {};
  const { inputTokens, outputTokens, cachedTokens, source } = usage;
  const thoughts = Math.min(reasoningTokens(usage) ?? 0, outputTokens);
  return {
    usageMetadata: {
      promptTokenCount: inputTokens,
      candidatesTokenCount: outputTokens - thoughts,
      ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
      ...(cachedTokens !== undefined && { cachedContentTokenCount: cachedTokens }),
      totalTokenCount: inputTokens + outputTokens,
      ...(source === 'estimated' && { estimated: true }),
    },
  };
}
