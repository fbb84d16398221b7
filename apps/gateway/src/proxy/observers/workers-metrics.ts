import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';

interface Asked {
  readonly type: 'metrics?';
  readonly id: number;
}

interface Answered {
  readonly type: 'metrics';
  readonly id: number;
  readonly page: string;
}

const timeoutMs = 5_000;

/** In the parent process: answers each worker's request with the sums over all workers. */
export function answerWorkersMetrics(): void {
  const all = new AggregatorRegistry();
  cluster.on('message', (worker: Worker, message: Asked) => {
    if (message.type !== 'metrics?') return;
    void all.clusterMetrics().then(
      (page) => worker.isConnected() && worker.send({ type: 'metrics', id: message.id, page } satisfies Answered),
      // The worker falls back to its own metrics.
      () => {},
    );
  });
}

let lastRequestId = 0;

/** The page of `/metrics`: of this process, or of all that share its port. */
export function metricsPage(registry: Registry): Promise<string> {
  if (!cluster.isWorker) return registry.metrics();
  const id = ++lastRequestId;
  return new Promise((done) => {
    const finish = (page: string | Promise<string>): void => {
      clearTimeout(timer);
      process.off('message', onMessage);
      done(page);
    };
    const onMessage = (message: Answered): void => {
      if (message.type === 'metrics' && message.id === id) finish(message.page);
    };
    const timer = setTimeout(() => finish(registry.metrics()), timeoutMs);
    process.on('message', onMessage);
    process.send?.({ type: 'metrics?', id } satisfies Asked);
  });
}

/** In a worker: from now on sends its metrics when the parent asks for them. */
export function serveMetrics(registry: Registry): void {
  if (!cluster.isWorker) return;
  AggregatorRegistry.setRegistries([registry]);
  new AggregatorRegistry();
}
