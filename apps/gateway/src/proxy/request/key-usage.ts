import type { OwnKey } from '@callsmith/contracts';
import type { PrismaService } from '@callsmith/data/database';
import { type LimitStore, windowBegin, windowEnd } from '@callsmith/data/limits';
import type { KeyEntry } from '@callsmith/data/snapshot';
import { type DayOfUsage, namesOf, usageByDay } from '@callsmith/data/stats';
import { Fault } from '@callsmith/turn';

const DAY_MS = 86_400_000;
const MOST_DAYS = 366;

/** The period of a counter, by the counter store's name. */
type Period = Parameters<LimitStore['read']>[1];

type Usage = OwnKey['usage'];

/** `GET /v1/usage`: a key's usage by day and model, its limits, and what remains of them. Money is in millionths. */
export class KeyUsage {
  constructor(
    private readonly prisma: PrismaService,
    private readonly limits: LimitStore,
    private readonly currency: string,
  ) {}

  /** `days`: how many, today's included, as in the query; default 30. Throws `invalid_parameter`. */
  async of(key: KeyEntry, days: string | undefined): Promise<Usage> {
    const count = days === undefined ? 30 : Number(days);
    if (!Number.isInteger(count) || count < 1 || count > MOST_DAYS)
      throw new Fault(
        'invalid_parameter',
        `days is ${JSON.stringify(days)}; it must be a whole number from 1 to ${MOST_DAYS}.`,
        {
          param: 'days',
        },
      );
    const to = new Date();
    const from = new Date(windowBegin('day', to.getTime()) - (count - 1) * DAY_MS);
    try {
      const used = await usageByDay(this.prisma, key.id, { from, to });
      const names = await namesOf(this.prisma, 'model', [...new Set(used.map(({ modelId }) => modelId))]);
      return {
        object: 'usage',
        key: { hint: key.hint, owner: key.holder, team: key.teamName },
        from: from.toISOString(),
        to: to.toISOString(),
        currency: this.currency,
        totals: sumsOf(used),
        days: used.map((row) => ({
          date: row.day.toISOString().slice(0, 10),
          model: names.get(row.modelId) ?? null,
          ...sumsOf([row]),
        })),
        limits: await this.#limitsOf(key),
      };
    } catch (cause) {
      throw new Fault('store_unavailable', 'Usage cannot be read while the database or Redis is unreachable.', {
        cause,
        headers: { 'retry-after': '5' },
      });
    }
  }

  async #limitsOf(key: KeyEntry): Promise<Usage['limits']> {
    const { id, requestsPerMinute, tokensPerMinute, concurrentStreams, budgets } = key;
    const tokens = tokensPerMinute === undefined ? undefined : Number(tokensPerMinute);
    return {
      requests_per_minute: await this.#ofLimit(`requests:${id}`, requestsPerMinute),
      tokens_per_minute: await this.#ofLimit(`tokens:${id}`, tokens),
      concurrent_requests: concurrentStreams === undefined ? null : { limit: concurrentStreams },
      budgets: await Promise.all(
        budgets.map(async ({ of, unit, period, limit, counter }) => ({
          of,
          unit: unit === 'spend' ? 'spend_micros' : 'tokens',
          period,
          ...(await this.#left(counter, period, limit)),
        })),
      ),
    };
  }

  /** Of a limit per minute; null: there is none. */
  async #ofLimit(counter: string, limit: number | undefined) {
    return limit === undefined ? null : this.#left(counter, 'minute', limit);
  }

  /** Reservations of running requests count as used. */
  async #left(counter: string, period: Period, limit: number) {
    const used = await this.limits.read(counter, period);
    const resetsAt = windowEnd(period, windowBegin(period, Date.now()));
    return { limit, used, remaining: Math.max(0, limit - used), resets_at: new Date(resetsAt).toISOString() };
  }
}

function sumsOf(used: readonly DayOfUsage[]) {
  const sum = (of: (one: DayOfUsage) => number): number => used.reduce((all, one) => all + of(one), 0);
  return {
    requests: sum(({ turns }) => turns),
    input_tokens: sum(({ inputTokens }) => inputTokens),
    cached_input_tokens: sum(({ cachedTokens }) => cachedTokens),
    output_tokens: sum(({ outputTokens }) => outputTokens),
    spend_micros: sum(({ spend }) => spend),
  };
}
