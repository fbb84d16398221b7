// Plain JavaScript without packages, because `npm start` checks the settings before anything is installed.

/** Stands for a header's value that is stored: a value is never shown again, and this one keeps it. */
export const maskedValue = '••••';

/**
 * What is wrong with the name of a header that is to be sent to an upstream, as the rest of a sentence.
 * @param {string} name
 * @returns {string | undefined} undefined: nothing
 */
export function headerNameProblem(name) {
  if (!headerName.test(name)) return 'must be the name of a header, like X-Title';
  return reserved.has(name.toLowerCase()) ? 'is set by Callsmith itself and cannot be changed' : undefined;
}

/**
 * What is wrong with a header's value (RFC 9110, 5.5), as the rest of a sentence.
 * @param {string} value
 * @returns {string | undefined} undefined: nothing
 */
export const headerValueProblem = (value) =>
  headerValue.test(value) ? undefined : 'must not be empty and must consist of visible ASCII characters and spaces';

const headerName = /^[\w!#$%&'*+.^`|~-]{1,100}$/;
const headerValue = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

/** Of the connection and of the body: a foreign one of these breaks the request (RFC 9110, 7.6.1). */
const reserved = new Set([
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
