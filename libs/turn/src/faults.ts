import type { Origin } from './vocabulary.ts';

interface FaultRow {
  readonly status: number;
  readonly type: string;
  readonly origin: Origin;
  /** Its meaning, in one sentence; most faults have a more specific message. */
  readonly message: string;
}

/**
 * Every error code of the gateway. Codes are API: they are never renamed. `type` is one of the four of tool calling
 * or one of OpenAI's own.
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
    message: 'The headers contain different API keys.',
  },
  model_not_allowed: {
    status: 403,
    type: 'permission_error',
    origin: 'client',
    message: 'This key may not use this model.',
  },
  model_not_found: {
    status: 404,
    type: 'invalid_request_error',
    origin: 'client',
    message: 'There is no model with this name.',
  },
  not_found: { status: 404, type: 'invalid_request_error', origin: 'client', message: 'There is no such route.' },
  method_not_allowed: {
    status: 405,
    type: 'invalid_request_error',
    origin: 'client',
    message: 'This route does not support the request method.',
  },
  invalid_json: {
    status: 400,
    type: 'invalid_request_error',
    origin: 'client',
    message: 'The request body is not valid JSON.',
  },
  invalid_body: {
    status: 400,
    type: 'invalid_request_error',
    origin: 'client',
    message: 'The request body does not fit this route.',
  },
  body_too_large: {
    status: 413,
    type: 'invalid_request_error',
    origin: 'client',
    message: 'The request body is too large.',
  },
  body_timeout: {
    status: 408,
    type: 'invalid_request_error',
    origin: 'client',
    message: 'The request body came too slowly: 64 KiB have to come within 10 seconds, and all of it within 300.',
  },
  unsupported_media_type: {
    status: 415,
    type: 'invalid_request_error',
    origin: 'client',
    message: 'The request body must be sent as JSON (Content-Type: application/json).',
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
    message: 'A parameter has the wrong type or is out of range.',
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
    message: 'tool_choice names a tool that is not in tools.',
  },
  invalid_tool_call_id: {
    status: 400,
    type: 'invalid_tool_call_id',
    origin: 'client',
    message: 'A tool result does not match any tool call.',
  },
  invalid_message_order: {
    status: 400,
    type: 'invalid_message_order',
    origin: 'client',
    message: 'The order of the messages is not valid.',
  },
  rate_limit_exceeded: {
    status: 429,
    type: 'rate_limit_error',
    origin: 'client',
    message: 'The rate limit of this key is exceeded.',
  },
  insufficient_quota: {
    status: 403,
    type: 'insufficient_quota',
    origin: 'client',
    message: 'A budget that this key counts against is spent.',
  },
  tool_call_limit: {
    status: 400,
    type: 'invalid_request_error',
    origin: 'client',
    message: 'This conversation has reached its limit of tool calls.',
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
  unsupported_strategy: {
    status: 400,
    type: 'invalid_request_error',
    origin: 'client',
    message: 'There is no such strategy.',
  },
  response_not_found: {
    status: 404,
    type: 'invalid_request_error',
    origin: 'client',
    message: 'There is no stored response with this ID.',
  },
  tool_call_required: {
    status: 502,
    type: 'upstream_error',
    origin: 'model',
    message: 'A tool call was required, but the model made none.',
  },
  tool_call_truncated: {
    status: 502,
    type: 'upstream_error',
    origin: 'model',
    message: 'The response was cut off in the middle of a tool call.',
  },
  mcp_server_unavailable: {
    status: 502,
    type: 'upstream_error',
    origin: 'tool',
    message: 'The MCP server is unreachable.',
  },
  upstream_unreachable: {
    status: 502,
    type: 'upstream_error',
    origin: 'upstream',
    message: 'The model server is unreachable.',
  },
  upstream_error: {
    status: 502,
    type: 'upstream_error',
    origin: 'upstream',
    message: 'The model server returned an error.',
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
    message: 'The model server returned a response that is not valid for its API.',
  },
  upstream_timeout: {
    status: 504,
    type: 'timeout_error',
    origin: 'upstream',
    message: 'The model server did not respond in time.',
  },
  upstream_cut_off: {
    status: 502,
    type: 'upstream_error',
    origin: 'upstream',
    message: 'The model server closed the connection in the middle of its response.',
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
    message: 'No upstream is available for this model right now.',
  },
  shutting_down: { status: 503, type: 'overloaded_error', origin: 'gateway', message: 'Callsmith is shutting down.' },
  store_unavailable: {
    status: 503,
    type: 'server_error',
    origin: 'gateway',
    message: 'The database is unreachable.',
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
    message: 'The e-mail address or password is wrong.',
  },
  forbidden: { status: 403, type: 'permission_error', origin: 'client', message: 'Your role does not permit this.' },
  cross_origin: {
    status: 403,
    type: 'permission_error',
    origin: 'client',
    message: 'Changes must be made from the dashboard itself.',
  },
  too_many_attempts: {
    status: 429,
    type: 'rate_limit_error',
    origin: 'client',
    message: 'Too many attempts to sign in; try again later.',
  },
  link_not_valid: {
    status: 404,
    type: 'invalid_request_error',
    origin: 'client',
    message: 'This link was already used, has expired or never existed; ask for a new one.',
  },
  upstream_address_refused: {
    status: 400,
    type: 'invalid_request_error',
    origin: 'client',
    message: 'This address is not allowed.',
  },
  conflict: { status: 409, type: 'invalid_request_error', origin: 'client', message: 'It already exists.' },
} as const satisfies Record<string, FaultRow>;

export type FaultCode = keyof typeof faults;

/** One invalid field, and the reason. */
export interface FieldFault {
  readonly path: string;
  readonly message: string;
}

/** The `error` object of an error response. */
export interface FaultBody {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string;
  readonly origin: Origin;
  readonly fields?: readonly FieldFault[];
}

/** An error that is shown to clients. */
export class Fault extends Error {
  readonly status: number;
  readonly type: string;
  readonly origin: Origin;
  readonly param: string | null;
  /** Additional response headers, e.g. `retry-after`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Every invalid field, if a form was checked; `param` is the first. */
  readonly fields: readonly FieldFault[];

  /** `message` is the whole sentence for the client; by default the table's. */
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

  /** OpenAI's error body, with the additional member `origin` and, after a form, `fields`. */
  body(): { error: FaultBody } {
    const { message, type, param, code, origin, fields } = this;
    return { error: { message, type, param, code, origin, ...(fields.length > 0 && { fields }) } };
  }
}
