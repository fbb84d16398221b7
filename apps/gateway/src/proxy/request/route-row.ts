import type { Config } from '@callsmith/config';
import type { ConfigSnapshot, KeyEntry } from '@callsmith/data/snapshot';
import type { InboundAdapter } from '@callsmith/protocols';
import type { FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { Metrics, RecentRawCalls } from '../observers/index.ts';
import type { KeyUsage } from './key-usage.ts';
import type { ProxyService } from './proxy.service.ts';

/** Who may call a route: hung on the route itself, so that no other reading of the address decides. */
export type RouteAccess = 'anyone' | 'inference' | 'listing' | 'counting' | 'admin-key' | 'metrics';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: RouteAccess;
    /** Bodies go to the model server as they are, and may hold long lists of tokens. */
    passesThrough?: boolean;
    /** Refuses every request, whatever its body: what that is made of is not looked at. */
    refuse?: (request: FastifyRequest, reply: FastifyReply) => unknown;
  }
}

/** One route of the inference side. */
export interface RouteRow {
  readonly method: HTTPMethods | HTTPMethods[];
  readonly path: string;
  /** The part of the path after its last colon, with `?alt=sse` where a stream of events is asked for; absent: anything. */
  readonly action?: string;
  readonly access: RouteAccess;
  readonly adapter?: InboundAdapter;
  readonly passesThrough?: true;
  /** `handle` refuses every request, or answers without its body. */
  readonly refuses?: true;
  readonly handle: (request: FastifyRequest, reply: FastifyReply) => unknown;
}

/** What the routes need. */
export interface RouteParts {
  readonly config: Pick<Config, 'server' | 'admin' | 'metricsToken'>;
  readonly snapshot: ConfigSnapshot;
  readonly proxy: ProxyService;
  readonly metrics: Metrics;
  readonly ring: RecentRawCalls;
  readonly usage: { of(...parameters: Parameters<KeyUsage['of']>): Promise<object> };
  /** The tools of MCP servers. */
  readonly mcp: McpRoutes;
}

/** What the routes of MCP servers' tools answer with. */
export interface McpRoutes {
  /** Those that a key may use, as OpenAI's functions. */
  functions(key: KeyEntry): Promise<object>;
  /** One request of the protocol to a server, by its name. */
  serve(
    request: FastifyRequest,
    reply: FastifyReply,
    asker: { readonly key: KeyEntry; readonly server: string },
  ): Promise<void>;
}

/** All methods that a route may answer. */
export const everyMethod: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
