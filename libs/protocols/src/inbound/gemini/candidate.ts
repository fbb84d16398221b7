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

/** Why a response ended, in this API's terms; a call has no reason of its own. */
export function finishReasonOf(reason: FinishReason | undefined): string {
  if (reason === 'length') return 'MAX_TOKENS';
  return reason === 'content_filter' ? 'SAFETY' : 'STOP';
}

/** A call as a part. `reasoning`: the model's reasoning before it, which comes back with it; empty: none. */
export function callPart(turn: Turn, call: Pick<FoldedCall, 'id' | 'name' | 'arguments'>, reasoning: string) {
  const args = argumentsObject(call.arguments) ?? { input: call.arguments };
  const part = {
    functionCall: { id: call.id, name: clientName(turn, call.name), args },
    ...(reasoning !== '' && { thoughtSignature: thoughtSignature(reasoning) }),
  };
  holdNumbersOf([args], part);
  return part;
}

/** True if the client wants the model's thoughts. */
export const showsThoughts = ({ echo }: Turn): boolean => echo?.thoughts === true;

/** Token counts in this API's form, in which reasoning is not part of the response's. */
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
