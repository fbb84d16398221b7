/** A small cache by content: as many values as `entries`, as much text as `characters`, the least used go first. */
export class Remembered<Value> {
  private readonly values = new Map<string, Value>();
  private held = 0;

  constructor(
    private readonly entries: number,
    private readonly characters: number,
    private readonly sizeOf: (value: Value) => number,
  ) {}

  get(key: string, make: () => Value): Value {
    const there = this.values.get(key);
    if (there !== undefined) {
      this.values.delete(key);
      this.values.set(key, there);
      return there;
    }
    const made = make();
    this.values.set(key, made);
    this.held += key.length + this.sizeOf(made);
    for (const [oldest, value] of this.values) {
      if (this.values.size <= this.entries && this.held <= this.characters) break;
      this.values.delete(oldest);
      this.held -= oldest.length + this.sizeOf(value);
    }
    return made;
  }
}
