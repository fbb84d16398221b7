import { isObject, type JsonObject, parseJson } from '@callsmith/turn';
import type { ReadRecordings, Recording } from './recording.ts';

/** Reads JSON lines: each is a recording, several, or the reason why it is none. */
export function lines(
  text: string,
  read: (line: JsonObject, at: number) => Recording | Recording[] | string,
): ReadRecordings {
  const recordings: Recording[] = [];
  const skipped = new Map<string, number>();
  text.split('\n').forEach((line, at) => {
    if (line.trim() === '') return;
    const value = parseJson(line);
    const made = isObject(value) ? read(value, at + 1) : 'not a JSON object';
    if (typeof made === 'string') skipped.set(made, (skipped.get(made) ?? 0) + 1);
    else recordings.push(...[made].flat());
  });
  return { recordings, skipped };
}
