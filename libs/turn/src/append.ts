/**
 * A text with a piece behind it, for one that grows by small pieces and is kept for long. The engine keeps such a text
 * as a tree of its pieces, each of which may hold on to the whole network read it was cut from; now and then it is made
 * one flat string, which lets them go. Each character is copied about five times in all, however long the text grows.
 */
export function append(text: string, piece: string): string {
  const longer = text + piece;
  // To look at a character is what makes V8 flatten the tree.
  if (longer.length > 256 && magnitude(text.length) !== magnitude(longer.length)) longer.charCodeAt(0);
  return longer;
}

/** Goes up by one with each quarter more: the three highest bits of a length and how many follow them. */
function magnitude(length: number): number {
  const zeros = Math.clz32(length);
  return zeros >= 29 ? length : (32 - zeros) * 8 + (length >>> (29 - zeros));
}
