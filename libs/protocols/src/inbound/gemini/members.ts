import type { JsonObject, JsonValue } from '@callsmith/turn';

const snakeNames = new Map<string, string>();

/**
 * A member of an object by its camel-case name. The API parses JSON as protocol buffers do, which accept
 * `system_instruction` for `systemInstruction` (https://protobuf.dev/programming-guides/json/). Null counts as absent.
 */
export function member(of: JsonObject, name: string): JsonValue | undefined {
  const value = of[name] ?? of[snakeName(name)];
  return value === null ? undefined : value;
}

function snakeName(name: string): string {
  let snake = snakeNames.get(name);
  if (snake === undefined) {
    snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    snakeNames.set(name, snake);
  }
  return snake;
}
