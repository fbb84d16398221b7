import type { FastifyReply, FastifyRequest } from 'fastify';
import { sameOrigin } from './access/same-origin.ts';

/** The HTTP side of one admin request, for the few that set cookies, redirect or name the own address. */
export class HttpExchange {
  constructor(
    private readonly request: FastifyRequest,
    private readonly reply: FastifyReply,
    /** Undefined: the request's own address. */
    private readonly publicUrl: string | undefined,
  ) {}

  /** The client's address, by the proxies that are trusted. */
  get address(): string {
    return this.request.ip;
  }

  /** What people type to reach this installation, without a slash at its end. */
  get baseUrl(): string {
    return this.publicUrl ?? `${this.request.protocol}://${this.request.host}`;
  }

  /** The address that was asked for, as people reach it. */
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

  /** The answer is a stream: proxies are not to hold it back. */
  streams(): void {
    void this.reply.header('x-accel-buffering', 'no');
  }

  /** Secure exactly when the page came by https: over plain http a browser would drop a secure cookie. */
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
