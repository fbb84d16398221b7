import { LRUCache } from 'lru-cache';

/** An LRU cache by content, bounded both by the number of values (`entries`) and by their size (`characters`). */
export class ContentCache<Value extends object | string> {
  private readonly values: LRUCache<string, Value>;

  constructor(entries: number, characters: number, sizeOf: (value: Value) => number) {
    this.values = new LRUCache({
      max: entries,
      maxSize: characters,
      sizeCalculation: (value, key) => 1 + key.length + sizeOf(value),
    });
  }

  /** The cached value of `key`, or a new one from `make`. */
  get(key: string, make: () => Value): Value {
    const cached = this.values.get(key);
    if (cached !== undefined) return cached;
    const made = make();
    this.values.set(key, made);
    return made;
  }
}
