import { fileURLToPath } from 'node:url';
import { start } from './boot/start.ts';

// The bundle (dist/main.js) and this file lie equally deep.
await start(fileURLToPath(new URL('../../../', import.meta.url)));
