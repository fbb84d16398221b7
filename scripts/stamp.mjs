import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { root } from './root.mjs';

/** Written by a build, or not part of one. */
const NOT_SOURCES = new Set(['node_modules', 'dist', 'generated']);
const TEST = /\.test\.tsx?$/;

/**
 * A piece of work whose result is kept: it is due unless `file` (relative to the root) holds the hash of `sources`
 * (files and folders, relative to the root), of the Node major and of `also`.
 */
export function stamp(file, sources, also = '') {
  const path = join(root, file);
  const hash = createHash('sha256').update(
    `${process.versions.node.split('.')[0]} ${process.platform} ${process.arch} ${also}`,
  );
  for (const source of sources) addTo(hash, source);
  const value = hash.digest('hex');
  return {
    value,
    due: !existsSync(path) || readFileSync(path, 'utf8') !== value,
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
