import {
  type DynamicModule,
  Inject,
  Logger,
  Module,
  type ModuleMetadata,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  Optional,
} from '@nestjs/common';
import { handlers } from './handlers/index.ts';
import { handlersOf, type JobHandler } from './job.ts';
import { JOB_RUNNER } from './job-runner-token.ts';
import { jobs } from './jobs/index.ts';
import type { JobRun, JobRunner } from './runner.ts';
import { BullmqRunner } from './runners/bullmq.ts';

const HANDLERS = Symbol('HANDLERS');

export interface JobsOptions {
  readonly databaseUrl: string;
  /** Undefined: jobs are stored in Postgres. */
  readonly redisUrl: string | undefined;
}

const log = new Logger('Jobs');

/** Background work. Requires the `DataModule`. */
@Module({})
export class JobsModule implements OnApplicationBootstrap, OnModuleDestroy {
  constructor(
    @Inject(JOB_RUNNER) private readonly runner: JobRunner,
    @Optional() @Inject(HANDLERS) private readonly own: readonly JobHandler[] | undefined,
  ) {}

  /** For a process that requests jobs and does not run them. */
  static producer(options: JobsOptions): DynamicModule {
    return {
      module: JobsModule,
      global: true,
      providers: [{ provide: JOB_RUNNER, useFactory: () => runnerFor(options) }],
      exports: [JOB_RUNNER],
    };
  }

  /** For a process that also runs them; `modules` provide the `TrialRunner` and the `ProbeClient`. */
  static consumer(options: JobsOptions, modules: NonNullable<ModuleMetadata['imports']>): DynamicModule {
    const { providers = [], ...rest } = JobsModule.producer(options);
    const all = { provide: HANDLERS, inject: [...handlers], useFactory: (...made: JobHandler[]) => made };
    return { ...rest, imports: modules, providers: [...providers, ...handlers, all] };
  }

  onApplicationBootstrap(): void {
    if (!this.own) return;
    // An unreachable store must not prevent requests from being served; it is retried until it answers.
    void this.runner.work(handlersOf(jobs, this.own));
  }

  async onModuleDestroy(): Promise<void> {
    await this.runner.stop();
  }
}

function runnerFor(options: JobsOptions): JobRunner {
  let lastReportAt = 0;
  return new BullmqRunner({
    ...options,
    done: logRun,
    onError: (problem) => {
      // While the store is unreachable every attempt logs one of these.
      if (Date.now() - lastReportAt < 30_000) return;
      lastReportAt = Date.now();
      log.warn(`the jobs' store cannot be reached: ${problem.message}`);
    },
  });
}

function logRun({ name, ms, problem }: JobRun): void {
  if (problem === undefined) log.debug(`${name}: ${ms} ms`);
  else log.warn(`${name} failed after ${ms} ms: ${problem instanceof Error ? problem.message : String(problem)}`);
}
