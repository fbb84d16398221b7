import { Fault } from '@callsmith/turn';

/** Any error as one that a client may see. An unexpected error goes to the log only. */
export function asFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  const { code, statusCode, message } = error as { code?: unknown; statusCode?: unknown; message?: unknown };
  if (typeof code === 'string' && code.startsWith('FST_')) return fastifyFault(code, String(message));
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500)
    return new Fault('invalid_body', undefined, { cause: error, status: statusCode });
  return new Fault('internal_error', undefined, { cause: error });
}

function fastifyFault(code: string, message: string): Fault {
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return notJson();
    case 'FST_ERR_BAD_URL':
      return new Fault(
        'invalid_parameter',
        'The address is not properly encoded: each % must be followed by two hexadecimal digits.',
      );
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Fault('body_too_large');
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return new Fault('invalid_json', 'The request body is empty. Send a JSON object.');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Fault('invalid_body', 'The request body is shorter or longer than its content-length.');
    default:
      return new Fault('invalid_body', message.slice(0, 300));
  }
}

/** The body is of another media type than JSON. */
export const notJson = (): Fault =>
  new Fault('unsupported_media_type', 'Send the body as JSON, with the header "content-type: application/json".');
