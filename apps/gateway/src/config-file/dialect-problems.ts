import type { ConfigFile } from '@callsmith/contracts';
import type { ConfigFileProblem } from '@callsmith/data/config-file';
import { dialectNamed, dialects } from '@callsmith/toolcall';

/** The models of a file with an unknown dialect. */
export function dialectProblems({ models }: ConfigFile): ConfigFileProblem[] {
  const dialectNames = ['auto', ...dialects.map(({ name }) => name)];
  return models.flatMap(({ dialect }, at) => {
    if (dialect === undefined || dialect === null || dialect === 'auto' || dialectNamed(dialect)) return [];
    return [
      { path: `models[${at}].dialect`, message: `must be one of ${dialectNames.join(', ')}; found "${dialect}"` },
    ];
  });
}
