/** What somebody who searches the requests means by what they typed. */
export type Search =
  | { readonly turn: string }
  | { readonly requestId: string }
  | { readonly argument: string }
  | { readonly text: string };

/**
 * Reads what was typed: the ID of a request, its request ID, `argument:` with the path of an argument, or words. Who may
 * not read message content searches by IDs only. Undefined: nothing was typed.
 */
export function searchOf(typed: string, readsContent: boolean): Search | undefined {
  const word = typed.trim();
  if (word === '') return undefined;
  if (/^turn_[0-9a-f]{32}$/.test(word)) return { turn: word };
  if (!readsContent || /^req_\S+$/.test(word)) return { requestId: word };
  const argument = /^argument:\s*(\S+)$/.exec(word)?.[1];
  return argument === undefined ? { text: word } : { argument };
}
