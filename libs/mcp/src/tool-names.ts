import { createHash } from 'node:crypto';

/** A server's name: the prefix, before `__`, of its tools' names, so that those of two servers never collide. */
export const serverNamePattern = /^[a-z0-9]+(?:[-_][a-z0-9]+)*$/;
export const maxServerNameLength = 30;

/** The limit of OpenAI's API for a function. */
const longestName = 64;
const hashLength = 8;

/**
 * The name by which a model calls a server's tool: `server__tool`. A tool's name that is too long, or has characters
 * that function names may not have, is shortened and ends in a hash of the whole, independent of other tools.
 */
export function publicToolName(server: string, tool: string): string {
  const whole = `${server}__${tool}`;
  const plain = whole.replace(/[^\w-]/g, '_');
  if (plain === whole && whole.length <= longestName) return whole;
  const hash = createHash('sha256').update(whole).digest('hex').slice(0, hashLength);
  return `${plain.slice(0, longestName - hashLength - 1)}_${hash}`;
}
