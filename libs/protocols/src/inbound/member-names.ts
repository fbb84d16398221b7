import type { Fault } from '@callsmith/turn';

/**
 * An API's names of members, by their names in OpenAI's two APIs, in which model servers are spoken to. The
 * conversation is called `messages` in the gateway's own errors too.
 */
export type MemberNames = ReadonlyMap<string, string>;

/**
 * The member of the client's body that a fault is about, in the words of its API; null: none. A model server's index of
 * a message is dropped, as it counts the messages that were sent to it.
 */
export function memberOf({ code, param }: Pick<Fault, 'code' | 'param'>, names: MemberNames): string | null {
  if (param === null) return null;
  const isServers = code === 'upstream_rejected' || code === 'context_length_exceeded';
  if (!isServers && param !== 'messages') return param;
  return names.get(/^\w*/.exec(param)?.[0] ?? '') ?? param;
}
