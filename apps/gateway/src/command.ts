import { fileURLToPath } from 'node:url';
import { command } from './boot/command.ts';

// The bundle (dist/command.js) and this file lie equally deep.
await command(fileURLToPath(new URL('../../../', import.meta.url)), process.argv.slice(2));
