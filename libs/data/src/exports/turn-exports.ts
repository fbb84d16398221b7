import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { ExportFormat, TurnRow } from '@callsmith/contracts';
import { audit, type ChangedBy } from '../database/change.ts';
import type { PrismaService } from '../database/prisma.ts';
import type { Prisma, TurnExport } from '../generated/prisma/client.ts';
import { newId } from '../ids.ts';
import type { TurnFilter } from '../turns/filter.ts';
import { pageOfTurns } from '../turns/list.ts';
import { fileOfTurns } from './file-of-turns.ts';
import { turnView } from './turn-view.ts';

export type TurnExportRow = TurnExport;

/** Maximum turns of an export. */
export const MOST_TURNS_EXPORTED = 5_000_000;

const KEPT_MS = 24 * 3_600_000;
const PAGE = 1_000;
/** UTF-16 units of a chunk before it is compressed. */
const PIECE = 2 * 1024 * 1024;

/** Requests a file of turns; `filter.teamId` restricts it to a team's. */
export function insertExport(
  prisma: PrismaService,
  by: ChangedBy,
  { filter, format }: { readonly filter: TurnFilter; readonly format: ExportFormat },
): Promise<TurnExport> {
  const { from, to, ...rest } = filter;
  const kept = { ...rest, from: from.toISOString(), to: to.toISOString() };
  return prisma.$transaction(async (tables) => {
    const row = await tables.turnExport.create({
      data: {
        id: newId('exp'),
        actor: by.actor,
        teamId: filter.teamId ?? null,
        filter: JSON.parse(JSON.stringify(kept)) as Prisma.InputJsonObject,
        format,
        expiresAt: new Date(Date.now() + KEPT_MS),
      },
    });
    await audit(tables, by, {
      action: 'turns.export',
      targetKind: 'export',
      targetId: row.id,
      teamId: filter.teamId ?? null,
      after: { ...kept, format },
    });
    return row;
  });
}

/** A user's unexpired exports, newest first. */
export const listExports = (prisma: PrismaService, actor: string): Promise<TurnExport[]> =>
  prisma.turnExport.findMany({
    where: { actor, expiresAt: { gt: new Date() } },
    orderBy: { createdAt: 'desc' },
    take: 50,
  });

/** Null: unknown, or expired. */
export const findExport = (prisma: PrismaService, id: string): Promise<TurnExport | null> =>
  prisma.turnExport.findFirst({ where: { id, expiresAt: { gt: new Date() } } });

/** Deletes an export with its file; a job that is writing it stops. */
export async function removeExport(prisma: PrismaService, id: string): Promise<void> {
  await prisma.turnExport.deleteMany({ where: { id } });
}

/**
 * The whole file of an export, chunk by chunk. Throws if it is deleted meanwhile, so that no half file looks complete.
 */
export async function* exportedFile(prisma: PrismaService, id: string): AsyncGenerator<Buffer> {
  const parts = await prisma.turnExportPart.count({ where: { exportId: id } });
  for (let n = 0; n < parts; n++) {
    const part = await prisma.turnExportPart.findUniqueOrThrow({ where: { exportId_n: { exportId: id, n } } });
    yield await promisify(gunzip)(part.gzip);
  }
}

/**
 * Writes the file of an export from its beginning, replacing existing chunks; stops if it is deleted meanwhile. Turns
 * after the end of its range are not included.
 */
export async function writeExport(
  prisma: PrismaService,
  id: string,
  { signal, most = MOST_TURNS_EXPORTED }: { readonly signal?: AbortSignal; readonly most?: number } = {},
): Promise<void> {
  const row = await findExport(prisma, id);
  if (!row || row.state === 'ready') return;
  await prisma.turnExportPart.deleteMany({ where: { exportId: id } });
  const pages = new Pages(prisma, filterOf(row), most);
  let n = 0;
  let text = '';
  const put = async () => {
    signal?.throwIfAborted();
    const packed = await promisify(gzip)(text);
    text = '';
    const { count } = await prisma.turnExport.updateMany({
      where: { id, expiresAt: { gt: new Date() } },
      data: { state: 'running', turns: pages.count },
    });
    if (count === 0) return false;
    await prisma.turnExportPart.create({ data: { exportId: id, n: n++, gzip: new Uint8Array(packed) } });
    return true;
  };
  for await (const piece of fileOfTurns(pages.read(), row.format === 'json' ? 'json' : 'csv')) {
    text += piece;
    if (text.length >= PIECE && !(await put())) return;
  }
  if (text !== '' && !(await put())) return;
  await prisma.turnExport.updateMany({
    where: { id },
    data: { state: 'ready', readyAt: new Date(), turns: pages.count, whole: pages.whole },
  });
}

/** Records that an export could not be written. */
export async function failExport(prisma: PrismaService, id: string): Promise<void> {
  await prisma.turnExport.updateMany({ where: { id, state: { not: 'ready' } }, data: { state: 'failed' } });
  await prisma.turnExportPart.deleteMany({ where: { exportId: id } });
}

function filterOf({ filter, teamId }: TurnExport): TurnFilter {
  const { from, to, ...rest } = filter as { from: string; to: string } & Omit<TurnFilter, 'from' | 'to'>;
  return { ...rest, teamId: teamId ?? undefined, from: new Date(from), to: new Date(to) };
}

/** Turns page by page, as rows of the API. */
class Pages {
  count = 0;
  whole = true;

  constructor(
    private readonly prisma: PrismaService,
    private readonly filter: TurnFilter,
    private readonly most: number,
  ) {}

  async *read(): AsyncGenerator<TurnRow[]> {
    let before: string | undefined;
    for (;;) {
      const { turns, next } = await pageOfTurns(this.prisma, this.filter, { before, limit: PAGE });
      const fit = turns.slice(0, this.most - this.count);
      this.count += fit.length;
      yield fit.map(turnView);
      this.whole = fit.length === turns.length;
      if (!this.whole || next === null) return;
      before = next;
    }
  }
}
