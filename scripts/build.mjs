// Installs what is missing and builds: `node scripts/build.mjs [project …]`; without names, everything.
import path from 'node:path';
import process from 'node:process';
import { nodeProblem, stopIf } from './checks.mjs';
import { build, install } from './prepare.mjs';
import { root } from './root.mjs';

stopIf(nodeProblem());
const named = process.argv.slice(2);
const logs = path.join(root, '.cache/logs');
await install('[1/2] Installing packages', logs);
await build('[2/2] Building', logs, named.length > 0 ? named : undefined);
