import { mostSavedCases, type SavedExpectation } from '@callsmith/contracts';
import type { JsonObject } from '@callsmith/turn';
import { audit, type ChangedBy } from '../database/change.ts';
import type { PrismaService } from '../database/prisma.ts';
import type { ProbeCase as StoredCase } from '../generated/prisma/client.ts';
import { newId } from '../ids.ts';
import { recordedDeep } from '../record/storable.ts';

/** The content of a case that an admin saves for a model. */
export interface NewSavedCase {
  readonly title: string;
  /** A body of `/v1/chat/completions`, without `model` and `stream`. */
  readonly request: JsonObject;
  readonly expects: SavedExpectation;
}

/** A case that a model's probes send in addition to the built-in ones. */
export interface SavedCase extends NewSavedCase {
  readonly id: string;
  readonly modelId: string;
  readonly at: Date;
}

const LOCK = 5275179;

/** Saves a case for a model, with secrets masked (audited). Undefined: the model has as many as it may have. */
export function saveCase(
  prisma: PrismaService,
  by: ChangedBy,
  { modelId, title, request, expects }: NewSavedCase & Pick<SavedCase, 'modelId'>,
): Promise<SavedCase | undefined> {
  return prisma.$transaction(async (tables) => {
    await tables.$executeRaw`SELECT pg_advisory_xact_lock(${LOCK})`;
    if ((await tables.probeCase.count({ where: { modelId } })) >= mostSavedCases) return undefined;
    const id = newId('pcase');
    const content = recordedDeep({ title, request, expects }) as { title: string; request: object; expects: object };
    const stored = await tables.probeCase.create({ data: { id, modelId, ...content } });
    const after = { case: id, title };
    await audit(tables, by, { action: 'model.probe-case.add', targetKind: 'model', targetId: modelId, after });
    return caseOf(stored);
  });
}

/** The saved cases of a model, oldest first. */
export async function listSavedCases(prisma: PrismaService, modelId: string): Promise<SavedCase[]> {
  const rows = await prisma.probeCase.findMany({ where: { modelId }, orderBy: [...oldestFirst] });
  return rows.map(caseOf);
}

/** The saved cases that a probe sends, in order; undefined in place of one that has been deleted since. */
export async function savedCasesOf(
  prisma: PrismaService,
  { savedCaseIds: ids }: { readonly savedCaseIds: readonly string[] },
): Promise<(SavedCase | undefined)[]> {
  if (ids.length === 0) return [];
  const rows = await prisma.probeCase.findMany({ where: { id: { in: [...ids] } } });
  const found = new Map(rows.map((row) => [row.id, caseOf(row)]));
  return ids.map((id) => found.get(id));
}

/** Deletes a saved case (audited). False: unknown id. */
export function deleteCase(prisma: PrismaService, by: ChangedBy, id: string): Promise<boolean> {
  return prisma.$transaction(async (tables) => {
    const [stored] = await tables.probeCase.findMany({ where: { id } });
    if (stored === undefined) return false;
    await tables.probeCase.deleteMany({ where: { id } });
    const before = { case: id, title: stored.title };
    await audit(tables, by, {
      action: 'model.probe-case.remove',
      targetKind: 'model',
      targetId: stored.modelId,
      before,
    });
    return true;
  });
}

/** The order of a model's saved cases. */
export const oldestFirst = [{ at: 'asc' }, { id: 'asc' }] as const;

const caseOf = ({ request, expects, ...row }: StoredCase): SavedCase => ({
  ...row,
  request: request as JsonObject,
  expects: expects as unknown as SavedExpectation,
});
