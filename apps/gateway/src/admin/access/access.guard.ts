import { CONFIG, type Config } from '@callsmith/config';
import type { Endpoint } from '@callsmith/contracts';
import { Fault } from '@callsmith/turn';
import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { admit, ENDPOINT } from '../contract.ts';
import { HttpExchange } from '../http-exchange.ts';
import { type Caller, isAtLeast, nobody } from './caller.ts';
import { Callers } from './callers.ts';

/**
 * Lets a request reach its admin handler if its caller's role allows it. Decides by the matched handler, never by the
 * address; a handler under /api without an endpoint refuses everyone.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly callers: Callers,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const endpoint = Reflect.getMetadata(ENDPOINT, context.getHandler()) as Endpoint | undefined;
    if (!endpoint) return refuseUnderApi(request);
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    void reply.headers({ 'cache-control': 'no-store', 'x-request-id': String(request.id) });
    const http = new HttpExchange(request, reply, this.config.server.publicUrl);
    const caller = await this.#callerOf(endpoint, http);
    if (caller.actor !== 'admin-key') refuseForeignWrites(endpoint, http);
    refuseBelow(endpoint, caller);
    admit(request, { caller, http });
    return true;
  }

  #callerOf({ access }: Endpoint, http: HttpExchange): Caller | Promise<Caller> {
    if (access === 'anyone') return nobody;
    return access === 'key-owner' ? this.callers.ownerOf(http) : this.callers.callerOf(http);
  }
}

function refuseUnderApi(request: FastifyRequest): true {
  if (request.routeOptions.url?.startsWith('/api')) throw new Fault('forbidden');
  return true;
}

function refuseForeignWrites(endpoint: Endpoint, http: HttpExchange): void {
  if (endpoint.method !== 'GET' && !http.fromSameOrigin) throw new Fault('cross_origin');
}

function refuseBelow(endpoint: Endpoint, { role }: Caller): void {
  if (isAtLeast(role, endpoint.access)) return;
  const needed = endpoint.access === 'admin' ? 'an admin' : 'an editor';
  throw new Fault('forbidden', `This requires ${needed}; you are signed in as ${role}.`);
}
