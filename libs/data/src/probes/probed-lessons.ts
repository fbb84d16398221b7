import { settingNamed } from '@callsmith/contracts';
import { change } from '../database/change.ts';
import type { PrismaService } from '../database/prisma.ts';
import { storeLesson } from '../models/store-lesson.ts';
import { recordedUpTo } from '../record/storable.ts';
import type { ProbeHead } from './probes.ts';

/** How long it is valid; another version of the engine ends it before. */
const HOLDS_MS = 30 * 86_400_000;

/** Something that a probe found about a server, in the form of a lesson. */
export interface ProbedLesson {
  readonly what: string;
  readonly value: boolean;
  /** The request and the response, in one sentence that begins with `Probe: `. */
  readonly reason: string;
}

/** What a probe finds: about the server by single requests, about example calls by comparing arms. */
export type LessonsAbout = 'server' | 'example calls';

/** The result of comparing prompts with example calls and without, by the setting's lesson name. */
export const EXAMPLES = settingNamed('exampleCalls').learnedAs as string;

/** Stores what a probe found among the lessons of the model there, replacing an earlier probe's. */
export function storeProbedLessons(
  prisma: PrismaService,
  { modelId, upstreamId, engineVersion }: Pick<ProbeHead, 'modelId' | 'upstreamId' | 'engineVersion'>,
  about: LessonsAbout,
  lessons: readonly ProbedLesson[],
): Promise<void> {
  return change(prisma, async (tables) => {
    const place = { modelId, upstreamId };
    // It may run another version by now, about which this says nothing.
    const upstream = await tables.upstream.findUnique({ where: { id: upstreamId }, select: { engineVersion: true } });
    if (upstream?.engineVersion !== engineVersion) return;
    await tables.learned.deleteMany({
      where: { ...place, what: about === 'server' ? { not: EXAMPLES } : EXAMPLES, reason: { startsWith: 'Probe: ' } },
    });
    const at = new Date();
    for (const { what, value, reason } of lessons) {
      await storeLesson(tables, {
        ...place,
        what,
        value: String(value),
        engineVersion,
        reason: recordedUpTo(reason, 1000),
        at,
        expiresAt: new Date(at.getTime() + HOLDS_MS),
      });
    }
  });
}
