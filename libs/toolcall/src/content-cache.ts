import { LRUCache } from 'lru-cache';

/** A small cache by content: as many values as `entries`, as much text as `characters`, the least used go first. */
export class ContentCache<Value extends object | string> {
  private readonly values: LRUCache<string, Value>;

  constructor(entries: number, characters: number, sizeOf: (value: Value) => number) {
    this.values = new LRUCache({
      max: entries,
      maxSize: characters,
      sizeCalculation: (value, key) => 1 + key.length + sizeOf(value),
    });
  }

  /** What was made for `key`, or what `make` makes now. */
  get(key: string, make: () => Value): Value {
    const there = this.values.get(key);
    if (there !== undefined) return there;
    const made = make();
    this.values.set(key, made);
    return made;
  }
}
