import type { api, GroupHistory, GroupWork, InputOf } from '@callsmith/contracts';
import { PrismaService } from '@callsmith/data/database';
import { findTeam } from '@callsmith/data/teams';
import {
  type FailureGroup,
  failureHistory,
  findFailureWork,
  modelChanges,
  peopleOf,
  putFailureWork,
  type SeenValueCount,
} from '@callsmith/data/turns';
import { Fault } from '@callsmith/turn';
import { Injectable } from '@nestjs/common';
import { type Caller, isAtLeast, teamToFilterBy } from '../access/caller.ts';
import { fieldFault } from '../field-fault.ts';
import { changeText } from './change-text.ts';
import { groupOf } from './failure-groups.ts';
import { workView } from './work-view.ts';

type Asked = NonNullable<InputOf<typeof api.turns.story>['query']>;
type Decision = NonNullable<InputOf<typeof api.turns.work>['body']>;

const DAY_MS = 86_400_000;
const STORY_DAYS = 90;
/** A change within this time before the first failure may be its cause. */
const BEFORE_MS = 7 * DAY_MS;

/** Groups of failures as a list of work. The list of a team and that of all teams are separate. */
@Injectable()
export class FailureWorkService {
  constructor(private readonly prisma: PrismaService) {}

  async story({ group: text, teamId: requestedTeam }: Asked, caller: Caller): Promise<GroupHistory> {
    const { group, teamId } = this.#of(text, requestedTeam, caller);
    const now = new Date();
    const filter = { from: new Date(now.getTime() - STORY_DAYS * DAY_MS), to: now, group };
    const [history, row] = await Promise.all([
      failureHistory(this.prisma, { ...filter, teamId: teamId ?? undefined }),
      findFailureWork(this.prisma, teamId, group),
    ]);
    const first = history.days[0]?.firstAt;
    const last = history.days.at(-1)?.lastAt;
    const since = new Date((first ?? now).getTime() - BEFORE_MS);
    const [changes, people] = await Promise.all([
      group.modelId === null ? [] : modelChanges(this.prisma, group.modelId, { since, id: row?.fixId ?? null }),
      isAtLeast(caller.role, 'editor') ? peopleOf(this.prisma, teamId) : [],
    ]);
    return {
      count: history.count,
      newest: history.newest,
      firstAt: first?.toISOString() ?? null,
      lastAt: last?.toISOString() ?? null,
      engines: history.engines.map(seenView),
      clients: history.clients.map(seenView),
      tools: history.tools.map(seenView),
      days: history.days.map(({ value, count }) => ({ at: `${value}T00:00:00.000Z`, count })),
      work: workView(row, last),
      changes: changes.map((change) => ({ id: change.id, at: change.at.toISOString(), what: changeText(change) })),
      people,
    };
  }

  async decide({ group: text, teamId: requestedTeam, ...decision }: Decision, caller: Caller): Promise<GroupWork> {
    const { group, teamId } = this.#of(text, requestedTeam, caller);
    if (requestedTeam !== undefined && !(await findTeam(this.prisma, requestedTeam)))
      throw new Fault('not_found', 'Team not found.', { param: 'teamId' });
    await this.#check(decision, group, teamId);
    const { resolved, muted, assigneeId, note, fixId } = decision;
    const now = new Date();
    const row = await putFailureWork(
      this.prisma,
      { actor: caller.actor },
      { teamId, group },
      {
        ...(resolved !== undefined && { resolvedAt: resolved ? now : null }),
        ...(muted !== undefined && {
          mutedAt: muted && now,
          mutedUntil: muted?.until == null ? null : new Date(muted.until),
        }),
        ...(assigneeId !== undefined && { assigneeId }),
        ...(note !== undefined && { note: note || null }),
        ...(fixId !== undefined && { fixId }),
      },
    );
    const to = new Date();
    const filter = { from: row.resolvedAt ?? to, to, group, teamId: teamId ?? undefined };
    const history =
      row.resolvedAt !== null && row.resolvedAt < to ? await failureHistory(this.prisma, filter) : undefined;
    return workView(row, history?.days.at(-1)?.lastAt);
  }

  async #check({ muted, assigneeId, fixId }: Omit<Decision, 'group'>, group: FailureGroup, teamId: string | null) {
    if (muted?.until != null && Date.parse(muted.until) <= Date.now())
      throw fieldFault({ path: 'muted.until', message: 'must be in the future' });
    if (assigneeId != null && !(await peopleOf(this.prisma, teamId)).some(({ id }) => id === assigneeId))
      throw fieldFault({ path: 'assigneeId', message: 'must be a user who sees this list' });
    if (fixId == null) return;
    const fixChange = { since: new Date(), id: fixId };
    const changes = group.modelId === null ? [] : await modelChanges(this.prisma, group.modelId, fixChange);
    if (!changes.some(({ id }) => id === fixId))
      throw fieldFault({ path: 'fixId', message: "must be the ID of one of the model's changes" });
  }

  /** The group, and the team of its list (null: all teams). Another team's is a 404. */
  #of(text: string, requestedTeam: string | undefined, caller: Caller) {
    return { group: groupOf(text), teamId: teamToFilterBy(caller, requestedTeam) ?? null };
  }
}

const seenView = ({ value, count, firstAt, lastAt }: SeenValueCount) => ({
  value,
  count,
  firstAt: firstAt.toISOString(),
  lastAt: lastAt.toISOString(),
});
