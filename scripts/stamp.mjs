import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { root } from './root.mjs';

/** Written by a build, or not an input of one. */
const NOT_SOURCES = new Set(['node_modules', 'dist', 'generated']);
const TEST = /\.test\.tsx?$/;

/** A result is valid for this Node major, platform and architecture only. */
const machine = `Node ${process.versions.node.split('.')[0]} on ${process.platform} ${process.arch}`;

/**
 * A task whose result is kept: it is due unless `file` contains the machine and the hash of `sources` (files and
 * folders; all relative to the root).
 */
export function stamp(file, sources) {
  const path = join(root, file);
  const hash = createHash('sha256');
  for (const source of sources) addTo(hash, source);
  const value = `${machine}\n${hash.digest('hex')}\n`;
  const kept = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  return {
    due: kept !== value,
    /** It was last done on another kind of machine. */
    moved: kept !== undefined && !kept.startsWith(`${machine}\n`),
    done() {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, value);
    },
  };
}

function addTo(hash, source) {
  const path = join(root, source);
  if (!existsSync(path)) return;
  let entries;
  try {
    entries = readdirSync(path, { withFileTypes: true });
  } catch {
    hash.update(`${source}\n`).update(readFileSync(path));
    return;
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    if (!NOT_SOURCES.has(entry.name) && !TEST.test(entry.name)) addTo(hash, `${source}/${entry.name}`);
  }
}
