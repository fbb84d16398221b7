import { Readable } from 'node:stream';
import type { ExportFormat, TurnExport } from '@callsmith/contracts';
import { PrismaService } from '@callsmith/data/database';
import {
  exportedFile,
  findExport,
  insertExport,
  listExports,
  removeExport,
  type TurnExportRow,
} from '@callsmith/data/exports';
import { exportTurns, JOB_RUNNER, type JobRunner } from '@callsmith/jobs';
import { Fault } from '@callsmith/turn';
import { Inject, Injectable, StreamableFile } from '@nestjs/common';
import { type Caller, maySeeTeam } from '../access/caller.ts';
import { type TurnsQuery, TurnsService } from '../turns/turns.service.ts';

/** Exports that one user may have in progress or stored. */
const MOST_EXPORTS = 5;

/**
 * Files of turns that are too long to be sent directly. A file is only for its requester, while they may see its
 * content.
 */
@Injectable()
export class ExportsService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly turns: TurnsService,
    @Inject(JOB_RUNNER) private readonly jobs: JobRunner,
  ) {}

  async list(caller: Caller): Promise<{ items: TurnExport[] }> {
    const rows = await listExports(this.prisma, caller.actor);
    // If the queue lost its jobs, the job is added again while the user waits.
    for (const row of rows.filter(isForgotten)) await this.#begin(row).catch(() => {});
    return { items: rows.filter((row) => mayRead(row, caller)).map(view) };
  }

  async create({ format, ...query }: TurnsQuery & { format: ExportFormat }, caller: Caller): Promise<TurnExport> {
    const filter = this.turns.filterFor(query, caller);
    if ((await listExports(this.prisma, caller.actor)).length >= MOST_EXPORTS)
      throw new Fault('conflict', `You already have ${MOST_EXPORTS} exports. Delete one of them first.`);
    const row = await insertExport(this.prisma, { actor: caller.actor }, { filter, format });
    await this.#begin(row).catch(async (cause: unknown) => {
      await removeExport(this.prisma, row.id);
      throw new Fault('store_unavailable', 'The job queue is not available right now. Try again.', { cause });
    });
    return view(row);
  }

  /** Requests the file; a repeated request changes nothing. */
  #begin({ id }: TurnExportRow): Promise<void> {
    return this.jobs.add(exportTurns, { id }, { id });
  }

  /** Sent in chunks. */
  async file(id: string, caller: Caller): Promise<StreamableFile> {
    const { state, format } = await this.#find(id, caller);
    if (state !== 'ready') throw new Fault('conflict', 'The file is not ready yet.');
    return new StreamableFile(Readable.from(exportedFile(this.prisma, id), { objectMode: false, highWaterMark: 1 }), {
      type: format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8',
      disposition: `attachment; filename="turns.${format}"`,
    });
  }

  async remove(id: string, caller: Caller): Promise<Record<string, never>> {
    await this.#find(id, caller);
    await removeExport(this.prisma, id);
    return {};
  }

  /** Another user's export is a 404, and so is one of a team that the caller has left (security 29, 30). */
  async #find(id: string, caller: Caller): Promise<TurnExportRow> {
    const row = await findExport(this.prisma, id);
    if (!row || !mayRead(row, caller))
      throw new Fault('not_found', 'Export not found; it may have been deleted after one day.');
    return row;
  }
}

const isForgotten = ({ state, createdAt }: TurnExportRow): boolean =>
  state === 'waiting' && Date.now() - createdAt.getTime() > 60_000;

const mayRead = (row: TurnExportRow, caller: Caller): boolean =>
  row.actor === caller.actor && maySeeTeam(caller, row.teamId);

function view(row: TurnExportRow): TurnExport {
  const { from, to } = row.filter as { from: string; to: string };
  return {
    id: row.id,
    format: row.format as TurnExport['format'],
    state: row.state as TurnExport['state'],
    turns: row.turns,
    whole: row.whole,
    from,
    to,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
  };
}
