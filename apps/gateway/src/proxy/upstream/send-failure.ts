import { shownBaseUrl } from '@callsmith/contracts';
import type { UpstreamEntry } from '@callsmith/data/snapshot';
import { Fault, type FaultCode } from '@callsmith/turn';

/** Why a request got no complete response. */
export interface SendFailure {
  readonly fault: Fault;
  /**
   * `connect`: no connection was made; `reset`: the connection closed before any byte of the response; `silent`: a
   * timeout; `cut`: the response ended before it was complete; `garbage`: it was not valid HTTP.
   */
  readonly kind: 'connect' | 'reset' | 'silent' | 'cut' | 'garbage';
}

/** An outgoing proxy refused a request; `status` is that of its response. */
export class ProxyRefusal extends Error {
  constructor(readonly status: number) {
    super(`the proxy answered ${status}`);
  }
}

/** The server compressed its response although that was not requested. */
export class CompressedReply extends Error {
  constructor(readonly encoding: string) {
    super(`a reply in ${encoding}`);
  }
}

/**
 * Turns a transport error into a failure whose message names the upstream, the problem and what to check. `answered`:
 * the response had begun; `proxy`: the outgoing proxy's origin, if one was used.
 */
export function sendFailure(
  error: Error,
  upstream: UpstreamEntry,
  { answered, proxy }: { readonly answered: boolean; readonly proxy?: string | undefined },
): SendFailure {
  const code = codeOf(error);
  const name = `${upstream.name} (${shownBaseUrl(upstream.baseUrl)})`;
  const failure = (kind: SendFailure['kind'], fault: FaultCode, message: string): SendFailure => ({
    kind,
    fault: new Fault(fault, message, { cause: error }),
  });
  if (error instanceof CompressedReply)
    return failure(
      'garbage',
      'upstream_invalid_answer',
      `${name} sent a compressed response (${error.encoding.slice(0, 50)}) that was not asked for. Turn compression off there, or in what stands before it.`,
    );
  if (code === 'UND_ERR_HEADERS_TIMEOUT')
    return failure(
      'silent',
      'upstream_timeout',
      `${name} did not start to respond within ${seconds(upstream.firstByteTimeoutMs)}. Check that the model is loaded and not overloaded, or raise the upstream's first-byte timeout.`,
    );
  if (code === 'UND_ERR_BODY_TIMEOUT')
    return failure(
      'silent',
      'upstream_timeout',
      `${name} sent nothing in the middle of its response for ${seconds(upstream.idleTimeoutMs)}. Check the model server's log, or raise the upstream's idle timeout.`,
    );
  if (/^HPE_|^HTTPParserError$|^UND_ERR_RES_CONTENT_LENGTH_MISMATCH$/.test(code))
    return failure(
      'garbage',
      'upstream_invalid_answer',
      `${name} sent a response that is not HTTP. Check that the base URL points to the model server's API.`,
    );
  if (answered)
    return failure(
      'cut',
      'upstream_cut_off',
      `${name} closed the connection in the middle of its response. Check the model server's log.`,
    );
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET')
    return failure(
      'reset',
      'upstream_unreachable',
      `${name} closed the connection without a response. Check that the model server is running and did not crash.`,
    );
  return failure('connect', 'upstream_unreachable', unreachable(name, { error, code, proxy }));
}

/** The message for a connection that could not be made. */
function unreachable(
  name: string,
  { error, code, proxy }: { readonly error: Error; readonly code: string; readonly proxy: string | undefined },
): string {
  if (error.name === 'RefusedAddress') return `${name}: ${error.message}.`;
  const refusal = error instanceof ProxyRefusal ? error.status : tunnelRefusal(error);
  if (refusal !== undefined)
    return `${name} is unreachable: the proxy ${proxy} answered ${refusal}${refusal === 407 ? ', it requires a user and a password' : ''}. Check HTTP_PROXY, HTTPS_PROXY and NO_PROXY.`;
  const through = proxy === undefined ? '' : ` (through the proxy ${proxy})`;
  return `${name} is unreachable${through}: ${reasons[code] ?? code.toLowerCase()}. Check that the model server is running and that the base URL is correct.`;
}

/** The status by which a proxy refused a tunnel; undici reports it only in its error's message. */
function tunnelRefusal(error: Error): number | undefined {
  const status = /^Proxy response \((\d{3})\)/.exec(error.message)?.[1];
  return status === undefined ? undefined : Number(status);
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name could not be looked up',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'the network is unreachable',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is self-signed',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
  EPROTO: 'it does not use TLS on that port',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not use TLS on that port',
};

/** An error's code, or its name if it has none. */
function codeOf(error: Error): string {
  const { code } = error as { code?: unknown };
  if (typeof code === 'string') return code;
  // Several addresses were tried: the first one's error is the most telling.
  const { errors } = error as { errors?: unknown };
  if (Array.isArray(errors) && errors[0] instanceof Error) return codeOf(errors[0]);
  return error.name;
}

const seconds = (ms: number): string => (ms % 1000 === 0 ? `${ms / 1000} s` : `${ms} ms`);
