import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { type Settings, settingsFrom } from './config.ts';
import { checkSettings, problemTable } from './settings.mjs';

/** The settings cannot be used; its message is the table of errors. */
export class WrongSettings extends Error {
  override readonly name = 'WrongSettings';
}

/**
 * Reads the settings from the environment and from `.env` in `root` (the environment wins).
 * Throws `WrongSettings`.
 */
export function readSettings(root: string, env: NodeJS.ProcessEnv = process.env): Settings {
  const path = join(root, '.env');
  const file = existsSync(path) ? parseEnv(readFileSync(path, 'utf8')) : {};
  const checked = checkSettings({ env, file: { ...file } });
  if (checked.problems.length > 0) throw new WrongSettings(problemTable(checked.problems));
  return settingsFrom(checked, root);
}
