import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import type {
  AppControllerRoute,
  AppViewRoute,
  BullBoardQueues,
  IServerAdapter,
  UIConfig,
} from '@bull-board/api/dist/types.js';
import type { Queue } from 'bullmq';

/** The routes and files that Bull Board registers. */
export interface Board {
  /** Folder of the page's files. */
  readonly files: string;
  /** Paths that show the page. */
  readonly pages: readonly string[];
  /** The page; the same at every path. */
  readonly page: string;
  readonly routes: readonly AppControllerRoute[];
  readonly config: UIConfig;
}

/** Prepares a read-only board of one queue, at `base` (which ends in a slash). */
export function boardOf(queue: Queue, base: string): Board {
  const ui = dirname(createRequire(import.meta.url).resolve('@bull-board/ui/package.json'));
  const adapter = new Told();
  createBullBoard({
    queues: [...queuesOf(queue).values()],
    serverAdapter: adapter,
    options: { uiBasePath: ui, uiConfig: { boardTitle: 'Callsmith jobs' } },
  });
  const { entry, config, routes } = adapter;
  if (!entry) throw new Error('Bull Board did not say what it serves');
  const { name, params } = entry.handler({ basePath: base, uiConfig: config });
  return {
    files: join(ui, 'dist/static'),
    pages: [entry.route].flat(),
    page: filledIn(readFileSync(join(ui, 'dist', name), 'utf8'), params),
    routes: routes.filter(({ method }) => [method].flat().includes('get')),
    config,
  };
}

/** The queue as Bull Board expects it, read-only. */
export const queuesOf = (queue: Queue): BullBoardQueues =>
  new Map([[queue.name, new BullMQAdapter(queue, { readOnlyMode: true })]]);

/** Collects what Bull Board registers. */
class Told implements IServerAdapter {
  entry: AppViewRoute | undefined;
  config: UIConfig = {};
  routes: readonly AppControllerRoute[] = [];

  setEntryRoute(entry: AppViewRoute): this {
    this.entry = entry;
    return this;
  }

  setQueues = (): this => this;

  setUIConfig(config: UIConfig): this {
    this.config = config;
    return this;
  }

  setApiRoutes(routes: AppControllerRoute[]): this {
    this.routes = routes;
    return this;
  }

  // The paths of the files and the form of errors are this gateway's own.
  setStaticPath = (): this => this;
  setViewsPath = (): this => this;
  setErrorHandler = (): this => this;
}

/** Fills in `<%= name %>` (escaped) and `<%- name %>` (unescaped), and removes external fonts. */
function filledIn(template: string, values: Record<string, unknown>): string {
  return template
    .replace(/<link href="https:[^>]*>/g, '')
    .replace(/<%([=-]) (\w+) %>/g, (_, kind: string, name: string) => {
      const text = String(values[name] ?? '');
      return kind === '-'
        ? text.replaceAll('<', '\\u003c')
        : text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
    });
}
