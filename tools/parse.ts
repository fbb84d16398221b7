// `npm run parse`: `callsmith parse` from source, so that nothing has to be built first.
import { runCommand } from '../apps/gateway/src/command/program.ts';

process.exitCode = await runCommand(['parse', ...process.argv.slice(2)], {
  root: new URL('../', import.meta.url).pathname,
  env: process.env,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
});
