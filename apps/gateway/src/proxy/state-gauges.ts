import type { Limiter } from '@callsmith/data/limits';
import type { PostgresRecorder } from '@callsmith/data/record';
import type { PostgresConfigSnapshot } from '@callsmith/data/snapshot';
import { productVersion } from '../product-version.ts';
import { breakerKeyOf } from './attempts/retry.ts';
import type { Metrics } from './observers/index.ts';
import type { ProxyService } from './request/proxy.service.ts';

/** What the gauges read. */
interface GaugeSources {
  readonly proxy: ProxyService;
  readonly snapshot: PostgresConfigSnapshot;
  readonly limiter: Limiter;
  readonly recorder: PostgresRecorder;
  /** Folder of the installation. */
  readonly root: string;
}

/** Reports the current state when the metrics are read: load, breakers, budgets, stores, version. */
export function registerGauges(metrics: Metrics, { proxy, snapshot, limiter, recorder, root }: GaugeSources): void {
  offerLoad(metrics, proxy);
  offerBreakers(metrics, proxy, snapshot);
  offerStrategies(metrics, snapshot);
  offerBudgets(metrics, limiter);
  offerRecord(metrics, recorder);
  offerStores(metrics, snapshot, limiter);
  offerVersions(metrics, root);
}

function offerLoad(metrics: Metrics, proxy: ProxyService): void {
  metrics.gauge('callsmith_streams', 'Streams that are running.', () => proxy.streams);
  metrics.gauge(
    'callsmith_upstream_requests',
    'Requests to model servers that are running.',
    () => proxy.client.load().running,
  );
  metrics.gauge(
    'callsmith_upstream_queue',
    'Requests that are waiting for a free connection to a model server.',
    () => proxy.client.load().waiting,
  );
}

function offerBreakers(metrics: Metrics, proxy: ProxyService, snapshot: PostgresConfigSnapshot): void {
  metrics.gauge(
    'callsmith_upstreams_open',
    'Upstreams out of rotation as a whole after repeated failures.',
    () => proxy.breaker.openUpstreams().length,
    'max',
  );
  metrics.gauges(
    'callsmith_model_open',
    '1 for each model that is out of rotation on an upstream after repeated failures.',
    ['upstream', 'model'],
    () =>
      snapshot
        .models()
        .flatMap(({ name: model, routes }) =>
          routes
            .filter((route) => proxy.breaker.stateOf(breakerKeyOf(route)) !== undefined)
            .map(({ upstream }) => [{ upstream: upstream.name, model }, 1] as const),
        ),
  );
  metrics.gauges(
    'callsmith_upstream_open',
    '1 for each upstream that is out of rotation as a whole after repeated failures, 0 for each other one that serves a model.',
    ['upstream'],
    () => {
      const open = new Set(proxy.breaker.openUpstreams());
      const upstreams = new Map(
        snapshot.models().flatMap(({ routes }) => routes.map(({ upstream: { id, name } }) => [id, name])),
      );
      return [...upstreams].map(([id, upstream]) => [{ upstream }, open.has(id) ? 1 : 0]);
    },
  );
}

function offerStrategies(metrics: Metrics, snapshot: PostgresConfigSnapshot): void {
  metrics.gauges('callsmith_model_strategy', '1 for the strategy of each model.', ['model', 'strategy'], () =>
    snapshot.models().map(({ name: model, strategy }) => [{ model, strategy: strategy.value }, 1]),
  );
}

function offerBudgets(metrics: Metrics, limiter: Limiter): void {
  metrics.gauges(
    'callsmith_budget_used_share',
    'Share of its budget that a key, owner or team has used (1: all), for the 100 highest of those used in this process. `key` is empty where several keys share it.',
    ['of', 'unit', 'key', 'name'],
    () =>
      limiter
        .budgetShares()
        .sort((a, b) => b.share - a.share)
        .slice(0, 100)
        .map(({ budget: { of, unit }, key, share }) => [
          { of, unit, key: of === 'key' ? key.id : '', name: of === 'team' ? key.teamName : key.holder },
          share,
        ]),
  );
}

function offerRecord(metrics: Metrics, recorder: PostgresRecorder): void {
  metrics.gauge('callsmith_record_queue', 'Requests waiting to be recorded.', () => recorder.state.queued);
  metrics.gauge('callsmith_record_lost', 'Requests that could not be recorded.', () => recorder.state.lost);
}

function offerStores(metrics: Metrics, snapshot: PostgresConfigSnapshot, limiter: Limiter): void {
  metrics.gauge(
    'callsmith_store_away',
    '1 while API keys cannot be checked because the database is unreachable.',
    () => (snapshot.stale ? 1 : 0),
    'max',
  );
  metrics.gauge(
    'callsmith_database_away',
    '1 while the database is unreachable; requests are served from memory for STORE_GRACE_SECONDS.',
    () => (snapshot.awayMs > 0 ? 1 : 0),
    'max',
  );
  metrics.gauge(
    'callsmith_redis_away',
    '1 while Redis is unreachable; each gateway counts limits on its own for STORE_GRACE_SECONDS.',
    () => (limiter.redisState?.awaySince ? 1 : 0),
    'max',
  );
}

function offerVersions(metrics: Metrics, root: string): void {
  const build = { version: productVersion(root), node: process.versions.node };
  metrics.gauges('callsmith_build_info', '1, with the versions of this process.', ['version', 'node'], () => [
    [build, 1],
  ]);
}
