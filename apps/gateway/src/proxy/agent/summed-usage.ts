import { isObject, type JsonObject, type Usage } from '@callsmith/turn';

/** Adds the token counts of two rounds; undefined only if both are. */
export function summedUsage(a: Usage | undefined, b: Usage | undefined): Usage | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const cached = a.cachedTokens === undefined && b.cachedTokens === undefined;
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    ...(!cached && { cachedTokens: (a.cachedTokens ?? 0) + (b.cachedTokens ?? 0) }),
    source: a.source === b.source ? a.source : 'estimated',
    ...(a.upstream && b.upstream && { upstream: summed(a.upstream, b.upstream) }),
  };
}

/** Adds members that are numbers in both, at every depth; of the others the second one's value counts. */
function summed(a: JsonObject, b: JsonObject): JsonObject {
  const sum: JsonObject = { ...a, ...b };
  for (const [name, value] of Object.entries(b)) {
    const before = a[name];
    if (typeof value === 'number' && typeof before === 'number') sum[name] = before + value;
    else if (isObject(value) && isObject(before)) sum[name] = summed(before, value);
  }
  return sum;
}
