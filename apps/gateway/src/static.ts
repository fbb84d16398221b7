import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '@callsmith/config';
import fastifyStatic from '@fastify/static';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** In the page where its scripts look for the nonce of the style elements they make. */
const NONCE = '__CSP_NONCE__';

/** Addresses that are never the page: the APIs, and the folder of the build's files. */
const NO_PAGE = /^\/(?:api|v1|llm|proxy|metrics|healthz|readyz|assets)(?:\/|$)/;

/**
 * Serves the dashboard's build: its files for good (their names carry a hash), and its page for every other address
 * that a browser opens. Without a build only the APIs are served. To be called before routes are registered.
 */
export async function serveDashboard(app: NestFastifyApplication, config: Config): Promise<void> {
  const build = join(config.root, 'apps/dashboard/dist');
  if (!existsSync(join(build, 'index.html'))) return;
  const page = readFileSync(join(build, 'index.html'), 'utf8');
  const files = new Set(readdirSync(build).map((name) => `/${name}`));
  // A hook, not a route: /models is a page for a browser, and a wrong base URL for a client.
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRequest', (request, reply, done) => {
      if (wantsPage(request, files)) sendPage(reply, page);
      else done();
    });
  await app.register(fastifyStatic, {
    root: build,
    wildcard: false,
    index: false,
    // The compressed files beside each are the same thing in another encoding, without an address of their own.
    globIgnore: ['**/index.html', '**/*.{br,gz}'],
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply, path) => {
      void reply.header(
        'cache-control',
        path.includes('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      );
      void reply.header('x-content-type-options', 'nosniff');
    },
  });
}

function wantsPage({ method, url, headers }: FastifyRequest, files: ReadonlySet<string>): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const path = url.split('?', 1)[0] ?? '/';
  return !NO_PAGE.test(path) && !files.has(path) && (headers.accept ?? '').includes('text/html');
}

function sendPage(reply: FastifyReply, page: string): void {
  const nonce = randomBytes(16).toString('base64');
  void reply
    .headers({
      'content-security-policy': contentSecurityPolicy(nonce),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
    })
    .type('text/html; charset=utf-8')
    .send(page.replaceAll(NONCE, nonce));
}

/** No inline script, nothing from elsewhere; style elements only with the nonce. */
function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
