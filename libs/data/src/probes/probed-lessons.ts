import { settingNamed } from '@callsmith/contracts';
import { change } from '../database/change.ts';
import type { PrismaService } from '../database/prisma.ts';
import { storeLesson } from '../models/store-lesson.ts';
import { recordedUpTo } from '../record/storable.ts';
import type { ProbeHead } from './probes.ts';

/** How long it holds; another version of the engine ends it before. */
const HOLDS_MS = 30 * 86_400_000;

/** Something that a probe found out about a server: as requests teach it, by its name among what is learned. */
export interface ProbedLesson {
  readonly what: string;
  readonly value: boolean;
  /** What was asked and what came, in one sentence that begins with `Probe: `. */
  readonly reason: string;
}

/** What a probe finds out: about the server by single requests, about example calls by comparing arms. */
export type LessonsAbout = 'server' | 'example calls';

/** What comparing prompts with example calls and without teaches, by the name that the model's setting reads. */
export const EXAMPLES = settingNamed('exampleCalls').learnedAs as string;

/** Keeps what a probe found out among what was learned of the model there, in place of what a probe before it did. */
export function storeProbedLessons(
  prisma: PrismaService,
  { modelId, upstreamId, engineVersion }: Pick<ProbeHead, 'modelId' | 'upstreamId' | 'engineVersion'>,
  about: LessonsAbout,
  lessons: readonly ProbedLesson[],
): Promise<void> {
  return change(prisma, async (tables) => {
    const place = { modelId, upstreamId };
    // It may run another version by now, of which this says nothing.
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
