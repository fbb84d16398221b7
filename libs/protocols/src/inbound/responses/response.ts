import { type Fault, type FinishReason, isObject, type JsonObject, type Turn, type Usage } from '@callsmith/turn';
import type { ResponseHead } from '../../inbound-adapter.ts';
import { reasoningTokens } from '../reasoning-tokens.ts';

export type ResponseStatus = 'in_progress' | 'completed' | 'incomplete' | 'failed';

/** The changing parts of a response object. */
export interface ResponseState {
  readonly status: ResponseStatus;
  /** Finished items, as JSON. */
  readonly output: readonly string[];
  readonly usage?: Usage | undefined;
  readonly fault?: Fault;
  readonly incomplete?: IncompleteReason;
}

type IncompleteReason = 'max_output_tokens' | 'content_filter';

/** Why a response is incomplete, in this API's terms; `undefined` for a complete one. */
export function incompleteReason(reason: FinishReason | undefined): IncompleteReason | undefined {
  if (reason === 'length') return 'max_output_tokens';
  return reason === 'content_filter' ? 'content_filter' : undefined;
}

/** Writes response objects as JSON text; the constant parts are stringified once. */
export class ResponseWriter {
  private readonly fixed: string;

  constructor(head: ResponseHead, turn: Turn | undefined) {
    const fields = isObject(turn?.echo?.fields) ? turn.echo.fields : {};
    this.fixed = JSON.stringify({
      id: head.id,
      object: 'response',
      created_at: head.createdAt,
      model: head.model,
      ...fields,
    }).slice(0, -1);
  }

  json({ status, output, usage, fault, incomplete }: ResponseState): string {
    const members = [
      `"status":"${status}"`,
      `"completed_at":${status === 'completed' ? Math.floor(Date.now() / 1000) : 'null'}`,
      `"error":${fault ? JSON.stringify(responseError(fault)) : 'null'}`,
      `"incomplete_details":${incomplete ? `{"reason":"${incomplete}"}` : 'null'}`,
      `"output":[${output.join(',')}]`,
      `"usage":${usage ? JSON.stringify(responseUsage(usage)) : 'null'}`,
    ];
    return `${this.fixed},${members.join(',')}}`;
  }
}

/** An error in this API's form. Clients act on two of its codes: they stop at one and wait at the other. */
export const responseError = (fault: Fault): JsonObject => ({
  code: fault.code === 'upstream_rate_limited' ? 'rate_limit_exceeded' : fault.code,
  message: fault.message,
});

/** Token counts in this API's form. */
export function responseUsage(usage: Usage): JsonObject {
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: { cached_tokens: usage.cachedTokens ?? 0 },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens(usage) ?? 0 },
    total_tokens: usage.inputTokens + usage.outputTokens,
    ...(usage.source === 'estimated' && { estimated: true }),
  };
}
