/** About how many characters a block has: few enough to be laid out within a frame. */
const LENGTH = 10_000;

/** A text in blocks of whole lines, which together are the whole of it. A longer line is a block of its own. */
export function textBlocks(text: string): string[] {
  const blocks: string[] = [];
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from + LENGTH - 1);
    const to = end < 0 ? text.length : end + 1;
    blocks.push(text.slice(from, to));
    from = to;
  }
  return blocks;
}
