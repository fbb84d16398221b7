/**
 * The texts between each `open` and the next `close`, in order; linear, because an opening without a close ends the
 * search.
 */
export function between(text: string, open: string, close: string): string[] {
  const found: string[] = [];
  for (let at = text.indexOf(open); at >= 0; ) {
    const start = at + open.length;
    const end = text.indexOf(close, start);
    if (end < 0) return found;
    found.push(text.slice(start, end));
    at = text.indexOf(open, end + close.length);
  }
  return found;
}
