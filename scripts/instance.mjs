import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/** The gateway that runs on the folder `dataDir`, as it registered itself; undefined: none. */
export function runningInstance(dataDir) {
  const file = path.join(dataDir, 'instance.json');
  if (!fs.existsSync(file)) return undefined;
  try {
    const { pid, url } = JSON.parse(fs.readFileSync(file, 'utf8'));
    return isGateway(pid) ? { pid, url } : undefined;
  } catch {
    return undefined; // truncated while it was being written
  }
}

/** After a kill the pid may have been reused. */
function isGateway(pid) {
  if (!Number.isInteger(pid)) return false;
  const { stdout } = fs.existsSync('/proc/self')
    ? { stdout: readIfThere(`/proc/${pid}/cmdline`) }
    : spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.includes('gateway/dist/main.js');
}

function readIfThere(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
