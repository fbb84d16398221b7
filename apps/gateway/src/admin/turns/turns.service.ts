import { Readable } from 'node:stream';
import {
  type api,
  type Cluster,
  type ExportFormat,
  type FacetCounts,
  type FacetName,
  facetName,
  filteredColumns,
  type InputOf,
  type ReplyOf,
  type TurnDetail,
  type TurnRow,
  type WorkFilter,
} from '@callsmith/contracts';
import { writeAudit } from '@callsmith/data/audit-log';
import { PrismaService } from '@callsmith/data/database';
import { fileOfTurns, turnView } from '@callsmith/data/exports';
import { shownTurnId, turnUuid } from '@callsmith/data/ids';
import { listStrategyChanges, type StrategyChangeRow } from '@callsmith/data/models';
import { PostgresConfigSnapshot } from '@callsmith/data/snapshot';
import {
  bodyOf,
  callsOf,
  clustersOf,
  type FacetValue,
  facetsOf,
  findTurn,
  hasWords,
  pageOfTurns,
  type TurnRow as StoredTurn,
  type TurnFilter,
  visitFailures,
} from '@callsmith/data/turns';
import { Fault } from '@callsmith/turn';
import { Injectable, StreamableFile } from '@nestjs/common';
import { type Caller, confinedTo, isAtLeast, teamToFilterBy } from '../access/caller.ts';
import { fieldFault } from '../field-fault.ts';
import { timeRange } from '../time-range.ts';
import { groupOf, groupsAfter, groupsCursor, groupText } from './failure-groups.ts';
import { SearchAudit } from './search-audit.ts';
import { bodyView, callView } from './turn-view.ts';
import { workOfCluster } from './work-view.ts';

/** The requested turns. */
export type TurnsQuery = NonNullable<InputOf<typeof api.turns.facets>['query']>;

const TEN_MINUTES_MS = 600_000;
const PAGE = 1_000;
const MOST_EXPORTED = 100_000;

/** The record, as far as the caller may see it: users of a team see their team's turns, bodies are for editors. */
@Injectable()
export class TurnsService {
  private readonly searches: SearchAudit;

  constructor(
    private readonly prisma: PrismaService,
    private readonly snapshot: PostgresConfigSnapshot,
  ) {
    this.searches = new SearchAudit(prisma);
  }

  async list(
    { cursor, limit, ...query }: TurnsQuery & { cursor?: string | undefined; limit: number },
    caller: Caller,
  ): Promise<{ items: TurnRow[]; next: string | null }> {
    const before = cursor === undefined ? undefined : turnUuid(cursor);
    const filter = this.filterFor(query, caller);
    await this.searches.note(filter, caller);
    const { turns, next } = await pageOfTurns(this.prisma, filter, { before, limit });
    return { items: turns.map(turnView), next: next && shownTurnId(next) };
  }

  /** Counts what the list shows; users of one team do not see how many turns others have (security 29). */
  async facets(query: TurnsQuery, caller: Caller): Promise<FacetCounts> {
    const names = facetName.options.filter((name) => name !== 'team' || confinedTo(caller) === undefined);
    const filter = this.filterFor(query, caller);
    await this.searches.note(filter, caller);
    const counts = await facetsOf(this.prisma, filter, names);
    const facets = counts.facets.map(({ name, values, more }) => ({
      name,
      values: values.flatMap((value) => this.#facetValue(name, value)),
      more,
    }));
    return { ...counts, facets };
  }

  /** Another team's turn is a 404 (security 29). Reading a body is audited (security 19). */
  async show(id: string, caller: Caller): Promise<TurnDetail> {
    const uuid = turnUuid(id);
    const row = uuid && (await findTurn(this.prisma, uuid, confinedTo(caller)));
    if (!row) throw new Fault('not_found', 'Not found; it may have been deleted after the retention period.');
    const callList = (await callsOf(this.prisma, row.id)).map(callView);
    const turn = turnView(row);
    if (!isAtLeast(caller.role, 'editor'))
      return {
        turn,
        callList,
        body: null,
        bodyMissing: 'Message content is shown only to editors of the team and to admins.',
      };
    const body = row.stored ? await bodyOf(this.prisma, row.id) : null;
    if (!body) return { turn, callList, body: null, bodyMissing: whyMissing(row, this.snapshot.settings.bodyDays) };
    await writeAudit(
      this.prisma,
      { actor: caller.actor },
      { action: 'turn.read', targetKind: 'turn', targetId: turn.id, teamId: row.teamId },
    );
    return { turn, callList, body: bodyView(body), bodyMissing: null };
  }

  async clusters(
    {
      cursor,
      limit,
      state,
      assignee,
      ...query
    }: TurnsQuery & WorkFilter & { cursor?: string | undefined; limit: number },
    caller: Caller,
  ): Promise<ReplyOf<typeof api.turns.clusters>> {
    const { offset, ...range } = cursor === undefined ? { offset: 0 } : groupsAfter(cursor);
    const filter = this.filterFor({ ...query, ...range }, caller);
    await this.searches.note(filter, caller);
    const visit = caller.userId === undefined ? undefined : await visitFailures(this.prisma, caller.userId);
    const { items, ...sums } = await clustersOf(
      this.prisma,
      filter,
      { offset, limit },
      {
        teamId: filter.teamId ?? null,
        state,
        // Only users have assigned groups.
        assigneeId: assignee === undefined ? undefined : (caller.userId ?? ''),
        visit,
      },
    );
    const listed = offset + items.length;
    const changes = await listStrategyChanges(this.prisma, {
      from: new Date(filter.from.getTime() - TEN_MINUTES_MS),
      to: filter.to,
      limit: 1_000,
    });
    return {
      ...sums,
      lastVisit: visit?.toISOString() ?? null,
      next: listed < sums.groups && items.length > 0 ? groupsCursor(filter, listed) : null,
      items: items.map(({ class: name, firstAt, lastAt, newestTurn, ...rest }) => ({
        ...rest,
        work: workOfCluster(rest),
        group: groupText({ ...rest, class: name }),
        class: name as Cluster['class'],
        firstAt: firstAt.toISOString(),
        lastAt: lastAt.toISOString(),
        newestTurn: shownTurnId(newestTurn),
        changes: changes.filter((change) => near(change, rest.modelId, firstAt)).map(changeView),
      })),
    };
  }

  /** A file of the filtered turns, read page by page while it is sent. */
  export({ format, ...query }: TurnsQuery & { format: ExportFormat }, caller: Caller): StreamableFile {
    const pages = this.#pages(this.filterFor(query, caller), caller);
    return new StreamableFile(Readable.from(fileOfTurns(pages, format)), {
      type: format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8',
      disposition: `attachment; filename="turns.${format}"`,
    });
  }

  async *#pages(filter: TurnFilter, caller: Caller): AsyncGenerator<TurnRow[]> {
    await this.searches.note(filter, caller);
    let before: string | undefined;
    for (let sent = 0; sent < MOST_EXPORTED; ) {
      const { turns, next } = await pageOfTurns(this.prisma, filter, {
        before,
        limit: Math.min(PAGE, MOST_EXPORTED - sent),
      });
      yield turns.map(turnView);
      sent += turns.length;
      if (next === null) return;
      before = next;
    }
  }

  /**
   * Models are filtered by name, but by id if the name now belongs to another. A turn refused before its model was
   * looked up belongs to no model: its name, if it has one, could match others.
   */
  #facetValue(facet: FacetName, { value, name, count }: FacetValue): { value: string; label: string; count: number }[] {
    if (facet !== 'model') return [{ value, label: name ?? value, count }];
    if (this.snapshot.model(value)) return [];
    const isCurrentName = name !== null && this.snapshot.model(name)?.id === value;
    return [{ value: isCurrentName ? name : value, label: name ?? value, count }];
  }

  /**
   * The requested filter, within what the caller may see. Throws a 404 for another team, and a 403 for a user who
   * searches message content without the right to read it.
   */
  filterFor(query: TurnsQuery, caller: Caller): TurnFilter {
    const { model, class: name, outcome, tool, shape, rule, group, failures, text, argument, from, to } = query;
    if ((text !== undefined || argument !== undefined) && !isAtLeast(caller.role, 'editor'))
      throw new Fault('forbidden', 'Message content can be searched only by editors of the team and by admins.');
    if (text !== undefined && !hasWords(text))
      throw fieldFault({ path: 'text', message: 'must contain a letter or a digit' });
    const entry = model === undefined ? undefined : this.snapshot.model(model);
    return {
      ...Object.fromEntries(filteredColumns.map(({ name, parameter }) => [name, query[parameter]])),
      ...timeRange({ from, to }),
      ...(entry ? { modelId: entry.id } : model?.startsWith('model_') ? { modelId: model } : { model }),
      class: name,
      outcome,
      tool,
      shape,
      rule,
      text,
      argument,
      group: group === undefined ? undefined : groupOf(group),
      teamId: teamToFilterBy(caller, query.teamId),
      failures: failures === 'true',
    };
  }
}

function whyMissing({ stored, strategyUsed, toolsOffered, calls }: StoredTurn, bodyDays: number): string {
  if (stored) return `Message content is deleted after ${bodyDays} days; metrics stay.`;
  if (toolsOffered === 0 && strategyUsed === null)
    return 'The request was refused before it was sent to a model; its messages are not stored.';
  if (toolsOffered === 0 && calls === 0) return 'Message content is stored only for requests with tools or tool calls.';
  return 'Message content was not stored: not sampled, or turned off for the team.';
}

const near = ({ modelId, at }: StrategyChangeRow, ofModel: string | null, firstAt: Date): boolean =>
  modelId === ofModel && Math.abs(+at - +firstAt) <= TEN_MINUTES_MS;

function changeView({ at, fromStrategy, toStrategy, fromDialect, toDialect }: StrategyChangeRow) {
  const what =
    fromStrategy === toStrategy
      ? `dialect ${fromDialect ?? 'default'} to ${toDialect ?? 'default'}`
      : `strategy ${fromStrategy} to ${toStrategy}`;
  return { at: at.toISOString(), what };
}
