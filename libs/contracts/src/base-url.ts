/**
 * A model server's base URL as it is stored and used: without an endpoint's path, a fragment and trailing slashes. A
 * path with a version in it, one that ends in `/openai` and one with a query are complete as given (`…/v1beta/openai`,
 * Azure's `…/openai/deployments/NAME?api-version=…`); to any other, `/v1` is added if it is missing. Throws `TypeError`
 * for an invalid URL.
 */
export function wholeBaseUrl(given: string): string {
  const url = new URL(given.trim());
  const path = url.pathname.replace(slashesAtEnd, '').replace(endpointAtEnd, '').replace(slashesAtEnd, '');
  const whole = versionInPath.test(path) || path.endsWith('/openai') || (url.search !== '' && path !== '');
  return withPath(url, whole ? path : `${path}/v1`);
}

/**
 * A URL under a base URL, with the base URL's query. `atRoot`: under the server's root instead, the base without its
 * `/v1`.
 */
export function urlUnder(baseUrl: string, path: string, atRoot = false): string {
  const url = new URL(baseUrl);
  const base = url.pathname.replace(slashesAtEnd, '');
  return withPath(url, (atRoot ? base.replace(/\/v1$/, '') : base) + path);
}

/**
 * The other base URL that may have been meant, if a server has no models at this one: with `/v1` added, or removed
 * after a path. Undefined if the path names another version.
 */
export function otherBaseUrl(baseUrl: string): string | undefined {
  const url = new URL(baseUrl);
  const path = url.pathname.replace(slashesAtEnd, '');
  if (path.endsWith('/v1')) return path === '/v1' ? undefined : withPath(url, path.slice(0, -'/v1'.length));
  return versionInPath.test(path) ? undefined : withPath(url, `${path}/v1`);
}

/** A base URL as clients and logs may see it: without its query. */
export const shownBaseUrl = (baseUrl: string): string => baseUrl.replace(/[?#].*$/s, '');

function withPath(url: URL, path: string): string {
  url.pathname = path;
  url.hash = '';
  // An empty query counts as none.
  if (url.search === '') url.search = '';
  return url.href;
}

const slashesAtEnd = /\/+$/;
const endpointAtEnd = /\/(?:chat\/completions|completions|responses|embeddings|models)$/;
/** `/v1`, `/v1beta`, `/v4`, as a whole segment of the path. */
const versionInPath = /\/v\d+[a-z\d]*(?=\/|$)/i;
