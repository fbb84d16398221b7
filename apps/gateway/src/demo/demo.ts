import { PrismaService } from '@callsmith/data/database';
import { removeDemo } from '@callsmith/data/seed';
import { PostgresConfigSnapshot } from '@callsmith/data/snapshot';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Caller } from '../admin/access/caller.ts';
import { DemoDriver, type DemoState } from './driver.ts';
import type { DemoTarget } from './send.ts';

const FIRST_TURNS = 60;

/** The demo of a running gateway: shows real turns before a model server is connected. */
@Injectable()
export class Demo implements OnApplicationShutdown {
  #target: DemoTarget | undefined;
  readonly #driver = new DemoDriver({ target: () => (this.#offered() ? this.#target : undefined) });

  constructor(
    private readonly prisma: PrismaService,
    private readonly snapshot: PostgresConfigSnapshot,
  ) {}

  /** Called once the gateway answers at `target`; `first`: on the very first start, which sends a batch of turns. */
  begin(target: DemoTarget, first: boolean): void {
    this.#target = target;
    if (first) void this.#driver.first(FIRST_TURNS);
  }

  keepGoing(on: boolean): { running: boolean; until: string | null } {
    return shown(this.#driver.keepGoing(on));
  }

  /** Deletes the demo's data, and stops its driver. */
  async remove(caller: Caller): Promise<Record<string, never>> {
    this.#driver.close();
    await removeDemo(this.prisma, { actor: caller.actor });
    await this.snapshot.refresh();
    return {};
  }

  onApplicationShutdown(): void {
    this.#driver.close();
  }

  #offered(): boolean {
    return this.snapshot.models().some(({ demo }) => demo);
  }
}

const shown = ({ running, until }: DemoState) => ({ running, until: until?.toISOString() ?? null });
