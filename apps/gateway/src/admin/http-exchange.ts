import type { FastifyReply, FastifyRequest } from 'fastify';
import { sameOrigin } from './access/same-origin.ts';

/** The HTTP side of one admin request, for handlers that set cookies, redirect, or need the gateway's own address. */
export class HttpExchange {
  constructor(
    private readonly request: FastifyRequest,
    private readonly reply: FastifyReply,
    /** Undefined: the request's own address. */
    private readonly publicUrl: string | undefined,
  ) {}

  /** The client's address, according to the trusted proxies. */
  get address(): string {
    return this.request.ip;
  }

  /** The base URL by which users reach this installation, without a trailing slash. */
  get baseUrl(): string {
    return this.publicUrl ?? `${this.request.protocol}://${this.request.host}`;
  }

  /** The requested address, as users reach it. */
  get url(): URL {
    return new URL(`${this.baseUrl}${this.request.url}`);
  }

  get fromSameOrigin(): boolean {
    const { headers, host } = this.request;
    const fetchSite = headers['sec-fetch-site'];
    return sameOrigin({
      origin: headers.origin,
      fetchSite: Array.isArray(fetchSite) ? fetchSite[0] : fetchSite,
      host,
      publicUrl: this.publicUrl,
    });
  }

  header(name: string): string | undefined {
    const value = this.request.headers[name];
    return Array.isArray(value) ? value[0] : value;
  }

  cookie(name: string): string | undefined {
    for (const part of (this.request.headers.cookie ?? '').split(';')) {
      const at = part.indexOf('=');
      if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
    }
    return undefined;
  }

  /** The response is a stream: tells proxies not to buffer it. */
  streams(): void {
    void this.reply.header('x-accel-buffering', 'no');
  }

  /** Secure if and only if the page was loaded by https: over plain http a browser would drop a secure cookie. */
  setCookie(
    name: string,
    value: string,
    options: { maxAgeSeconds: number; path?: string; sameSite?: 'Strict' | 'Lax' },
  ): void {
    const { maxAgeSeconds, path = '/', sameSite = 'Strict' } = options;
    const secure = this.request.protocol === 'https' ? '; Secure' : '';
    void this.reply.header(
      'set-cookie',
      `${name}=${value}; Path=${path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=${sameSite}${secure}`,
    );
  }
}
