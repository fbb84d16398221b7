import type { PrismaService } from '../database/prisma.ts';
import type { Call, TurnBody } from '../generated/prisma/client.ts';
import { turnTime } from '../ids.ts';

/** The calls of a turn, in their order. */
export const callsOf = (prisma: PrismaService, turnId: string): Promise<Call[]> =>
  prisma.call.findMany({ where: { turnId, at: turnTime(turnId) }, orderBy: { n: 'asc' } });

/** The bodies of a turn; null: not stored, or deleted. */
export const bodyOf = (prisma: PrismaService, turnId: string): Promise<TurnBody | null> =>
  prisma.turnBody.findUnique({ where: { at_turnId: { at: turnTime(turnId), turnId } } });
