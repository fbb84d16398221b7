import type { FinishReason, JsonObject, Turn } from '@callsmith/turn';

/** Why a response ended, in this API's terms. */
export interface StopReason {
  readonly stop_reason: string;
  readonly stop_sequence: string | null;
}

/**
 * Why a response ended. `ending`: the fields beside the model server's own finish reason; vLLM returns the matched stop
 * string in `stop_reason`, SGLang in `matched_stop`.
 */
export function stopReasonOf({ sampling }: Turn, reason: FinishReason | undefined, ending?: JsonObject): StopReason {
  switch (reason) {
    case 'tool_calls':
      return { stop_reason: 'tool_use', stop_sequence: null };
    case 'length':
      return { stop_reason: 'max_tokens', stop_sequence: null };
    case 'content_filter':
      return { stop_reason: 'refusal', stop_sequence: null };
    default: {
      const matchedStop = ending?.stop_reason ?? ending?.matched_stop;
      return typeof matchedStop === 'string' && Array.isArray(sampling.stop) && sampling.stop.includes(matchedStop)
        ? { stop_reason: 'stop_sequence', stop_sequence: matchedStop }
        : { stop_reason: 'end_turn', stop_sequence: null };
    }
  }
}
