import type { Origin } from './vocabulary.ts';

interface FaultRow {
  readonly status: number;
  readonly type: string;
  readonly origin: Origin;
  /** What it means, in one sentence; a fault's own message is more exact. */
  readonly message: string;
}

/**
 * Every error code that leaves the gateway. Codes are API: they are never renamed.
 * `type` is one of R-5's names or OpenAI's own.
 */
export const faults = {
  invalid_api_key: {
    status: 401,
    type: 'authentication_error',
    origin: 'client',
    message: 'The API key is missing, unknown, revoked or expired.',
  },
  conflicting_api_keys: {
    status: 400,
    type: 'invalid_request_error',
    origin: 'client',
    message: 'Different API keys stand in different headers.',
  },
  model_not_allowed: {
    status: 403,
    type: 'permission_error',
    origin: 'client',
    message: 'This key may not use this model.',
  },
  model_not_found: { status: 404, type: 'invalid_request_error', origin: 'client', message: 'No model of that name.' },
  not_found: { status: 404, type: 'invalid_request_error', origin: 'client', message: 'No such route.' },
  method_not_allowed: {
    status: 405,
    type: 'invalid_request_error',
    origin: 'client',
    message: 'This route takes another method.',
  },
  invalid_json: { status: 400, type: 'invalid_request_error', origin: 'client', message: 'The body is not JSON.' },
  invalid_body: {
    status: 400,
    type: 'invalid_request_error',
    origin: 'client',
    message: 'The body is not what this route takes.',
  },
  body_too_large: {
    status: 413,
    type: 'invalid_request_error',
    origin: 'client',
    message: 'The body is larger than allowed.',
  },
  unsupported_media_type: {
    status: 415,
    type: 'invalid_request_error',
    origin: 'client',
    message: 'The body is not sent as JSON.',
  },
  missing_parameter: {
    status: 400,
    type: 'invalid_request_error',
    origin: 'client',
    message: 'A required parameter is missing.',
  },
  invalid_parameter: {
    status: 400,
    type: 'invalid_request_error',
    origin: 'client',
    message: 'A parameter has the wrong type or range.',
  },
  invalid_tool_schema: {
    status: 400,
    type: 'invalid_tool_schema',
    origin: 'client',
    message: 'A tool definition is malformed.',
  },
  invalid_tool_choice: {
    status: 400,
    type: 'invalid_request_error',
    origin: 'client',
    message: 'tool_choice names no tool on offer.',
  },
  invalid_tool_call_id: {
    status: 400,
    type: 'invalid_tool_call_id',
    origin: 'client',
    message: 'A tool result matches no call.',
  },
  invalid_message_order: {
    status: 400,
    type: 'invalid_message_order',
    origin: 'client',
    message: 'Messages stand in an order that has no meaning.',
  },
  rate_limit_exceeded: {
    status: 429,
    type: 'rate_limit_error',
    origin: 'client',
    message: 'Too many requests or tokens in this minute.',
  },
  insufficient_quota: {
    status: 403,
    type: 'insufficient_quota',
    origin: 'client',
    message: 'The budget of this key is spent.',
  },
  tool_call_limit: {
    status: 400,
    type: 'invalid_request_error',
    origin: 'client',
    message: 'This conversation has used all its tool calls.',
  },
  repeated_tool_call: {
    status: 400,
    type: 'invalid_request_error',
    origin: 'model',
    message: 'The model repeats the same call.',
  },
  context_length_exceeded: {
    status: 400,
    type: 'invalid_request_error',
    origin: 'client',
    message: "The conversation is longer than the model's context.",
  },
  unsupported_strategy: { status: 400, type: 'invalid_request_error', origin: 'client', message: 'No such strategy.' },
  response_not_found: {
    status: 404,
    type: 'invalid_request_error',
    origin: 'client',
    message: 'No stored response of that id.',
  },
  tool_call_required: {
    status: 502,
    type: 'upstream_error',
    origin: 'model',
    message: 'A call was required and the model made none.',
  },
  tool_call_truncated: {
    status: 502,
    type: 'upstream_error',
    origin: 'model',
    message: 'The answer was cut in the middle of a call.',
  },
  upstream_unreachable: {
    status: 502,
    type: 'upstream_error',
    origin: 'upstream',
    message: 'The model server cannot be reached.',
  },
  upstream_error: {
    status: 502,
    type: 'upstream_error',
    origin: 'upstream',
    message: 'The model server answered with an error.',
  },
  upstream_rejected: {
    status: 400,
    type: 'invalid_request_error',
    origin: 'upstream',
    message: 'The model server refused the request.',
  },
  upstream_rate_limited: {
    status: 429,
    type: 'rate_limit_error',
    origin: 'upstream',
    message: 'The model server is busy.',
  },
  upstream_invalid_answer: {
    status: 502,
    type: 'upstream_error',
    origin: 'upstream',
    message: 'The model server answered something that is not its API.',
  },
  upstream_timeout: {
    status: 504,
    type: 'timeout_error',
    origin: 'upstream',
    message: 'The model server was silent for too long.',
  },
  upstream_cut_off: {
    status: 502,
    type: 'upstream_error',
    origin: 'upstream',
    message: 'The model server stopped in the middle of its answer.',
  },
  upstream_busy: {
    status: 503,
    type: 'overloaded_error',
    origin: 'gateway',
    message: 'All connections to the model server are in use.',
  },
  no_upstream: {
    status: 503,
    type: 'overloaded_error',
    origin: 'gateway',
    message: 'No upstream serves this model right now.',
  },
  shutting_down: { status: 503, type: 'overloaded_error', origin: 'gateway', message: 'Callsmith is stopping.' },
  store_unavailable: {
    status: 503,
    type: 'server_error',
    origin: 'gateway',
    message: 'The database cannot be reached.',
  },
  internal_error: {
    status: 500,
    type: 'server_error',
    origin: 'gateway',
    message: 'Something went wrong in Callsmith.',
  },
  unauthenticated: { status: 401, type: 'authentication_error', origin: 'client', message: 'Sign in first.' },
  invalid_credentials: {
    status: 401,
    type: 'authentication_error',
    origin: 'client',
    message: 'E-mail or password is wrong.',
  },
  forbidden: { status: 403, type: 'permission_error', origin: 'client', message: 'Your role does not allow this.' },
  cross_origin: {
    status: 403,
    type: 'permission_error',
    origin: 'client',
    message: 'Writes must come from the dashboard itself.',
  },
  too_many_attempts: {
    status: 429,
    type: 'rate_limit_error',
    origin: 'client',
    message: 'Too many attempts to sign in; wait a little.',
  },
  link_not_valid: {
    status: 404,
    type: 'invalid_request_error',
    origin: 'client',
    message: 'This link was used already, has expired or never existed; ask for a new one.',
  },
  upstream_address_refused: {
    status: 400,
    type: 'invalid_request_error',
    origin: 'client',
    message: 'An upstream may not have this address.',
  },
  conflict: { status: 409, type: 'invalid_request_error', origin: 'client', message: 'It is there already.' },
} as const satisfies Record<string, FaultRow>;

export type FaultCode = keyof typeof faults;

/** One field that is wrong, and why. */
export interface FieldFault {
  readonly path: string;
  readonly message: string;
}

/** What stands under `error` in an error answer. */
export interface FaultBody {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string;
  readonly origin: Origin;
  readonly fields?: readonly FieldFault[];
}

/** An error that a client may see. */
export class Fault extends Error {
  readonly status: number;
  readonly type: string;
  readonly origin: Origin;
  readonly param: string | null;
  /** Response headers that go with it, e.g. `retry-after`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Every field that is wrong, where a form was checked; `param` is the first. */
  readonly fields: readonly FieldFault[];

  /** `message` is the whole sentence the client reads; without one the table's stands. */
  constructor(
    readonly code: FaultCode,
    message?: string,
    options: {
      param?: string;
      status?: number;
      cause?: unknown;
      headers?: Record<string, string>;
      fields?: readonly FieldFault[];
    } = {},
  ) {
    const row: FaultRow = faults[code];
    super(message ?? row.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Fault';
    this.status = options.status ?? row.status;
    this.type = row.type;
    this.origin = row.origin;
    this.param = options.param ?? null;
    this.headers = options.headers ?? {};
    this.fields = options.fields ?? [];
  }

  /** OpenAI's error body, with our `origin` and, after a form, `fields` beside. */
  body(): { error: FaultBody } {
    const { message, type, param, code, origin, fields } = this;
    return { error: { message, type, param, code, origin, ...(fields.length > 0 && { fields }) } };
  }
}
