import { fileURLToPath } from 'node:url';
import { start } from './boot/start.ts';

// The bundle (dist/main.js) and this file are at the same depth.
await start(fileURLToPath(new URL('../../../', import.meta.url)));
