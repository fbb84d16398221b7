import ts from 'typescript';

/** Which declarations are read, and which others are read when one is. */
export class ReadGraph {
  private readonly reads = new Set<ts.Declaration>();
  /** By a declaration: those that are read when it is. */
  private readonly follows = new Map<ts.Declaration, Set<ts.Declaration>>();

  /** Marks the declarations of `symbol` as read, except those that contain `from`. */
  read(symbol: ts.Symbol | undefined, from?: ts.Node): void {
    for (const declaration of symbol?.declarations ?? [])
      if (!from || !isWithin(from, declaration)) this.reads.add(declaration);
  }

  /** What is read of `to` is also read of `from`. */
  follow(from: ts.Symbol, to: ts.Symbol): void {
    for (const target of to.declarations ?? [])
      for (const source of from.declarations ?? [])
        if (source !== target) this.follows.set(target, (this.follows.get(target) ?? new Set()).add(source));
  }

  /** Propagates the reads. */
  spread(): void {
    const queue = [...this.reads];
    for (let next = queue.pop(); next; next = queue.pop())
      for (const each of this.follows.get(next) ?? [])
        if (!this.reads.has(each)) {
          this.reads.add(each);
          queue.push(each);
        }
  }

  isRead(declaration: ts.Declaration): boolean {
    return this.reads.has(declaration);
  }
}

function isWithin(node: ts.Node, ancestor: ts.Node): boolean {
  for (let at: ts.Node | undefined = node; at; at = at.parent) if (at === ancestor) return true;
  return false;
}
