import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes the file by which `npm start`, `npm run callsmith` and `npm run reset` find the gateway that runs on this
 * folder; the result removes it.
 */
export function announce(dataDir: string, url: string): () => void {
  const file = join(dataDir, 'instance.json');
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(file, JSON.stringify({ pid: process.pid, url }), { mode: 0o600 });
  return () => {
    if (JSON.parse(readFileSync(file, 'utf8')).pid === process.pid) rmSync(file);
  };
}

/** The address of the gateway that registered itself for this folder; undefined: none did. */
export function announcedUrl(dataDir: string): string | undefined {
  const file = join(dataDir, 'instance.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { url: string }).url : undefined;
}
