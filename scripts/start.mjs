// The first part of `npm start`: checks, packages, build. The shell then becomes the gateway itself (`exec`), so that
// a signal to npm reaches it.
import path from 'node:path';
import { dataDirOf, diskProblem, nodeProblem, platformProblem, portProblem, readSettings, stopIf } from './checks.mjs';
import { build, install, installIsDue } from './prepare.mjs';
import { step } from './steps.mjs';

stopIf(nodeProblem());
const { values, problem } = readSettings();
stopIf(platformProblem(values));
stopIf(problem);
stopIf(diskProblem(values, installIsDue()));
stopIf(await portProblem(values));

const logs = path.join(dataDirOf(values), 'logs');
await step('[1/5] Checking this machine', async () => 'ok');
await install('[2/5] Installing packages', logs);
await build('[3/5] Building', logs, ['gateway', 'dashboard']);
