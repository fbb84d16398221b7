import { cpus } from 'node:os';

/** This machine's processors, "2 × AMD EPYC": without them a measured figure means little. */
export const processors = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`;
