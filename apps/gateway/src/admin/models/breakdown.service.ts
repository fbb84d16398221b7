import type { api, ReplyOf } from '@callsmith/contracts';
import { PrismaService } from '@callsmith/data/database';
import { findModel } from '@callsmith/data/models';
import { engineChangesOf, enginesOf, toolsOf, usageBy } from '@callsmith/data/stats';
import { Injectable } from '@nestjs/common';
import { type Caller, confinedTo } from '../access/caller.ts';
import { timeRange } from '../time-range.ts';
import { outcomesIn } from './model-view.ts';
import { unknownModel } from './unknown-model.ts';

/** A model's outcomes by tool and by client, and its engine versions. */
@Injectable()
export class BreakdownService {
  constructor(private readonly prisma: PrismaService) {}

  async show(
    id: string,
    bounds: { from?: string | undefined; to?: string | undefined },
    caller: Caller,
  ): Promise<ReplyOf<typeof api.models.breakdown>> {
    const model = await findModel(this.prisma, id);
    if (!model) throw unknownModel(id);
    const filter = { ...timeRange(bounds), modelId: model.id, teamId: confinedTo(caller) };
    const [tools, clients, strategies, engines, changes] = await Promise.all([
      toolsOf(this.prisma, filter),
      usageBy(this.prisma, filter, 'client'),
      usageBy(this.prisma, filter, 'strategyUsed'),
      enginesOf(this.prisma, filter),
      engineChangesOf(this.prisma, filter),
    ]);
    return {
      tools,
      clients: clients.map((sums) => ({ client: sums.id, turns: sums.turns, counts: outcomesIn(sums) })),
      toolPrompt: strategies
        .filter(({ injectedTokens }) => injectedTokens > 0)
        .map(({ id: strategy, turns, injectedTokens, inputTokens }) => ({
          strategy,
          turns,
          tokens: injectedTokens,
          inputTokens,
        })),
      engines: engines.map(({ firstAt, lastAt, ...seen }) => ({
        ...seen,
        firstAt: firstAt.toISOString(),
        lastAt: lastAt.toISOString(),
      })),
      engineChanges: changes.map(({ version, at }) => ({ version, at: at.toISOString() })),
    };
  }
}
