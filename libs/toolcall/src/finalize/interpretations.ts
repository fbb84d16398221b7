import { isObject, type JsonObject, type JsonValue } from '@callsmith/turn';
import { resolveReference } from './schema.ts';

/** Schemas whose branches were resolved, and all of which apply to one value. */
export type Interpretation = readonly JsonObject[];

const mostReadings = 16;
const maxDepth = 8;

/**
 * The interpretations of a schema for a value: one for each choice among its `anyOf` and `oneOf` branches. If the value
 * has the `const` or `enum` members of some branches, only those count.
 */
export function interpretationsOf(
  schema: JsonValue | undefined,
  value: JsonValue,
  root: JsonObject,
  depth = 0,
): Interpretation[] {
  const parts: JsonObject[] = [];
  const unions: JsonValue[][] = [];
  collectParts(schema, root, parts, unions, 0);
  let readings: Interpretation[] = [parts];
  for (const union of unions) {
    if (depth >= maxDepth) break;
    const ways = meantBranches(union, value, root).flatMap((branch) =>
      interpretationsOf(branch, value, root, depth + 1),
    );
    readings = readings
      .flatMap((reading) => ways.slice(0, mostReadings).map((way) => [...reading, ...way]))
      .slice(0, mostReadings);
  }
  return readings;
}

/** Follows references and `allOf`, and collects the schemas that always apply and the unions to choose from. */
function collectParts(
  schema: JsonValue | undefined,
  root: JsonObject,
  parts: JsonObject[],
  unions: JsonValue[][],
  depth: number,
): void {
  if (!isObject(schema) || depth > maxDepth || parts.length >= 64) return;
  parts.push(schema);
  if (typeof schema.$ref === 'string')
    collectParts(resolveReference(schema.$ref, root), root, parts, unions, depth + 1);
  if (Array.isArray(schema.allOf)) for (const part of schema.allOf) collectParts(part, root, parts, unions, depth + 1);
  for (const union of [schema.anyOf, schema.oneOf])
    if (Array.isArray(union) && union.length > 0) unions.push(union.slice(0, mostReadings));
}

/** `{"op": "n", "value": "3"}` means the branch whose `op` is `const: "n"`. */
function meantBranches(branches: readonly JsonValue[], value: JsonValue, root: JsonObject): readonly JsonValue[] {
  if (!isObject(value)) return branches;
  const meant = branches.filter((branch) => names(branch, value, root));
  return meant.length > 0 ? meant : branches;
}

/** True if the value has the members that distinguish the branch from others. */
function names(branch: JsonValue, value: JsonObject, root: JsonObject): boolean {
  const schema = isObject(branch) && typeof branch.$ref === 'string' ? resolveReference(branch.$ref, root) : branch;
  if (!isObject(schema) || !isObject(schema.properties)) return false;
  let matched = false;
  for (const [key, property] of Object.entries(schema.properties).slice(0, 64)) {
    if (!isObject(property)) continue;
    const allowed = property.const !== undefined ? [property.const] : property.enum;
    if (!Array.isArray(allowed) || !Object.hasOwn(value, key)) continue;
    if (!allowed.includes(value[key] as JsonValue)) return false;
    matched = true;
  }
  return matched;
}
