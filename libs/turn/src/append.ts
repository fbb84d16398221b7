/**
 * Appends a piece to a text that grows by small pieces and is kept for long. V8 keeps such a text as a tree of its
 * pieces, each of which may retain the whole network read it was cut from; now and then it is flattened, which releases
 * them. Each character is copied about five times in all, however long the text grows.
 */
export function append(text: string, piece: string): string {
  const longer = text + piece;
  // Reading a character makes V8 flatten the tree.
  if (longer.length > 256 && magnitude(text.length) !== magnitude(longer.length)) longer.charCodeAt(0);
  return longer;
}

/** Increases by one with each quarter more: the three highest bits of a length and how many follow them. */
function magnitude(length: number): number {
  const zeros = Math.clz32(length);
  return zeros >= 29 ? length : (32 - zeros) * 8 + (length >>> (29 - zeros));
}
