/** A node of the trie: one character of a marker. */
interface Node {
  readonly code: number;
  /** The kinds of all markers that pass through this node. */
  kinds: number;
  /** The kinds of the marker that ends here; 0 if none does. */
  whole: number;
  child: Node | undefined;
  sibling: Node | undefined;
  /** The children by character, if there are many. */
  wide: Map<number, Node> | undefined;
}

const many = 6;
const pairs = 4096;

/** A trie of markers: one lookup rules out all that do not begin here, however many there are. A kind is one bit. */
export class MarkerTrie {
  private readonly root = node(0);
  /**
   * Filters by first character and by the first two, hashed into small tables: 0 is certain, other values may be
   * collisions.
   */
  private readonly firsts = new Uint16Array(256);
  private readonly twos = new Uint16Array(pairs);

  /** Marks in `table` the characters, folded to eight bits, with which markers of these kinds begin. */
  markFirsts(table: Uint8Array, kinds: number): void {
    for (let at = 0; at < 256; at++) if (((this.firsts[at] as number) & kinds) !== 0) table[at] = 1;
  }

  add(marker: string, kinds: number): void {
    const first = marker.charCodeAt(0);
    this.firsts[first & 255] = (this.firsts[first & 255] as number) | kinds;
    if (marker.length === 1) for (let at = 0; at < pairs; at++) this.twos[at] = (this.twos[at] as number) | kinds;
    else {
      const two = pair(first, marker.charCodeAt(1));
      this.twos[two] = (this.twos[two] as number) | kinds;
    }
    let at = this.root;
    for (let place = 0; place < marker.length; place++) {
      at = child(at, marker.charCodeAt(place)) ?? grow(at, marker.charCodeAt(place));
      at.kinds |= kinds;
    }
    at.whole |= kinds;
  }

  /** Whether a marker of these kinds begins at `at`: 'open' if the text ends too early to tell. */
  begins(text: string, at: number, kinds: number): 'yes' | 'no' | 'open' {
    const first = text.charCodeAt(at);
    if (((this.firsts[first & 255] as number) & kinds) === 0) return 'no';
    if (at + 1 < text.length && ((this.twos[pair(first, text.charCodeAt(at + 1))] as number) & kinds) === 0)
      return 'no';
    let current = this.root;
    for (let place = at; place < text.length; place++) {
      const next = child(current, text.charCodeAt(place));
      if (next === undefined || (next.kinds & kinds) === 0) return 'no';
      if ((next.whole & kinds) !== 0) return 'yes';
      current = next;
    }
    return 'open';
  }

  /**
   * The length of the longest marker of these kinds at `at`; 0 if there is none, -1 if the text ends too early to tell,
   * unless it has `ended`.
   */
  longest(text: string, at: number, kinds: number, ended: boolean): number {
    let current = this.root;
    let length = 0;
    for (let place = at; place < text.length; place++) {
      const next = child(current, text.charCodeAt(place));
      if (next === undefined || (next.kinds & kinds) === 0) return length;
      if ((next.whole & kinds) !== 0) length = place - at + 1;
      current = next;
    }
    return ended || current.child === undefined ? length : -1;
  }
}

const node = (code: number): Node => ({
  code,
  kinds: 0,
  whole: 0,
  child: undefined,
  sibling: undefined,
  wide: undefined,
});

const pair = (first: number, second: number): number => ((first << 6) ^ (first >> 6) ^ second) & (pairs - 1);

function child(of: Node, code: number): Node | undefined {
  if (of.wide) return of.wide.get(code);
  for (let one = of.child; one !== undefined; one = one.sibling) if (one.code === code) return one;
  return undefined;
}

function grow(of: Node, code: number): Node {
  const grown = node(code);
  grown.sibling = of.child;
  of.child = grown;
  if (of.wide) of.wide.set(code, grown);
  else {
    let count = 0;
    for (let one: Node | undefined = grown; one !== undefined; one = one.sibling) count++;
    if (count > many) {
      of.wide = new Map();
      for (let one: Node | undefined = grown; one !== undefined; one = one.sibling) of.wide.set(one.code, one);
    }
  }
  return grown;
}
