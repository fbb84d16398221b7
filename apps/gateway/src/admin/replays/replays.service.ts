import type { api, ParseResult, ReplayRow, ReplyOf } from '@callsmith/contracts';
import { writeAudit } from '@callsmith/data/audit-log';
import { PrismaService } from '@callsmith/data/database';
import { shownTurnId, turnUuid } from '@callsmith/data/ids';
import { bodyOf, callsOf, findTurn, pageOfTurns, type TurnRow } from '@callsmith/data/turns';
import { Fault } from '@callsmith/turn';
import { Injectable } from '@nestjs/common';
import { reparse } from '../../proxy/replay/reparse.ts';
import { type Caller, confinedTo } from '../access/caller.ts';
import { refuseUnknownDialect } from '../models/known-dialect.ts';
import { callView } from '../turns/turn-view.ts';
import { type TurnsQuery, TurnsService } from '../turns/turns.service.ts';
import { differencesOf } from './differences.ts';
import { deliveredCalls, type StoredBody, storedAnswer, storedSize } from './stored-answer.ts';

type Asked = TurnsQuery & {
  readonly turn?: string | undefined;
  readonly dialect?: string | undefined;
  readonly limit: number;
};
type Choices = Awaited<ReturnType<typeof reparse>>['choices'];

/** Maximum UTF-16 units that one replay parses, so that requests do not have to wait. */
const MOST_READ = 8 * 1024 * 1024;
const PAGE = 200;
const MOST_PAGES = 10;

/** Re-parses stored responses with the current parser: those that the caller may read. No model gets a request. */
@Injectable()
export class ReplaysService {
  #running = false;

  constructor(
    private readonly prisma: PrismaService,
    private readonly turns: TurnsService,
  ) {}

  /** One at a time, because parsing uses CPU time of requests. */
  async read(query: Asked, caller: Caller): Promise<ReplyOf<typeof api.replays.read>> {
    refuseUnknownDialect(query.dialect);
    if (this.#running) throw new Fault('conflict', 'Another re-parse is running. Wait a moment and try again.');
    this.#running = true;
    try {
      return query.turn === undefined ? await this.#many(query, caller) : await this.#one(query.turn, query, caller);
    } finally {
      this.#running = false;
    }
  }

  async #one(id: string, { dialect }: Asked, caller: Caller) {
    const uuid = turnUuid(id);
    const turn = uuid && (await findTurn(this.prisma, uuid, confinedTo(caller)));
    if (!turn)
      throw new Fault('not_found', 'Not found; it may have been deleted after the retention period.', {
        param: 'turn',
      });
    const body = turn.stored ? await bodyOf(this.prisma, turn.id) : null;
    if (!body)
      throw new Fault('conflict', 'The model output of this request is not stored, so it cannot be re-parsed.');
    const { row, choices } = await this.#again(turn, body, dialect, caller);
    return { rows: [row], more: false, delivered: choices?.map(({ notes: _, ...choice }) => choice) ?? null };
  }

  /** The newest that match and have a body; `more`: there may be others further back. */
  async #many({ turn: _, dialect, limit, ...query }: Asked, caller: Caller) {
    const filter = this.turns.filterFor(query, caller);
    const rows: ReplayRow[] = [];
    let left = MOST_READ;
    let before: string | undefined;
    for (let page = 0; page < MOST_PAGES; page++) {
      const { turns, next } = await pageOfTurns(this.prisma, filter, { before, limit: PAGE });
      for (const turn of turns) {
        const body = turn.stored ? await bodyOf(this.prisma, turn.id) : null;
        if (!body) continue;
        left -= storedSize(body);
        if (rows.length === limit || (left < 0 && rows.length > 0)) return { rows, more: true, delivered: null };
        rows.push((await this.#again(turn, body, dialect, caller)).row);
      }
      if (next === null) return { rows, more: false, delivered: null };
      before = next;
    }
    return { rows, more: true, delivered: null };
  }

  /** Reading a body is audited (security 19). */
  async #again(
    turn: TurnRow,
    body: StoredBody,
    dialect: string | undefined,
    caller: Caller,
  ): Promise<{ row: ReplayRow; choices: Choices | undefined }> {
    await writeAudit(
      this.prisma,
      { actor: caller.actor },
      {
        action: 'turn.replay',
        targetKind: 'turn',
        targetId: shownTurnId(turn.id),
        teamId: turn.teamId,
        after: { dialect: dialect ?? turn.dialect },
      },
    );
    const old: ParseResult = {
      outcome: turn.outcome as ParseResult['outcome'],
      classes: turn.classes as ParseResult['classes'],
      errorCode: turn.errorCode,
      calls: (await callsOf(this.prisma, turn.id)).map(callView),
    };
    const row = {
      id: shownTurnId(turn.id),
      at: turn.at.toISOString(),
      model: turn.model,
      strategyUsed: turn.strategyUsed as ReplayRow['strategyUsed'],
      dialect: turn.dialect,
      old,
    };
    const stored = storedAnswer(turn, body);
    if (typeof stored === 'string')
      return { row: { ...row, new: null, problem: stored, differences: [] }, choices: undefined };
    try {
      const { choices, ...now } = await reparse(stored, dialect);
      const reading: ParseResult = {
        ...now,
        calls: now.calls.map(({ tool, outcome, rules }) => ({ tool, outcome, rules: [...rules] })),
      };
      const differences = differencesOf(
        { reading: old, got: deliveredCalls(body.delivered) },
        { reading, got: deliveredCalls(choices) },
      );
      return { row: { ...row, new: reading, problem: null, differences }, choices };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return { row: { ...row, new: null, problem: error.message, differences: [] }, choices: undefined };
    }
  }
}
