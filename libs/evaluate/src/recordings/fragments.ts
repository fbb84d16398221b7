import { isObject, type JsonValue } from '@callsmith/turn';
import type { ReplyCall } from './recording.ts';

/** The calls of recorded fragments of native calls, joined by their index as clients do. */
export function joinFragments(fragments: unknown): ReplyCall[] {
  const calls = new Map<JsonValue, { name: string; arguments: string }>();
  for (const { index, name, arguments: piece } of Array.isArray(fragments) ? fragments.filter(isObject) : []) {
    const at = index ?? 0;
    const call = calls.get(at) ?? { name: '', arguments: '' };
    if (typeof name === 'string' && call.name === '') call.name = name;
    if (piece !== undefined) call.arguments += typeof piece === 'string' ? piece : JSON.stringify(piece);
    calls.set(at, call);
  }
  return [...calls.values()];
}
