import { fileURLToPath } from 'node:url';
import { runCommand } from './command/program.ts';

// The bundle (dist/command.js) and this file are at the same depth.
process.exitCode = await runCommand(process.argv.slice(2), {
  root: fileURLToPath(new URL('../../../', import.meta.url)),
  env: process.env,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
});
