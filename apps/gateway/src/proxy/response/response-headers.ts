import { overheadMs, type RequestRecord } from '../record/request-record.ts';

/** The gateway's overhead as a header's value. */
export const serverTiming = (ms: number): string => `callsmith;dur=${ms.toFixed(2)};desc="added time"`;

/** The headers of every response of an inference route. */
export function responseHeaders(record: RequestRecord): Record<string, string> {
  const { request, attempts } = record;
  const added = overheadMs(record) ?? performance.now() - request.arrivedAt;
  return {
    'x-callsmith-strategy': attempts.strategyUsed ?? 'none',
    'server-timing': serverTiming(added),
    ...(attempts.model && { 'x-callsmith-model': inHeader([attempts.model.name]) }),
    ...(request.nudge !== undefined && { 'x-callsmith-nudge': request.nudge }),
    ...(attempts.dropped.length > 0 && { 'x-callsmith-dropped-parameters': inHeader(attempts.dropped) }),
  };
}

const longestHeader = 2000;

/** Names for a header: some are the client's own text, and there may be many. */
function inHeader(names: readonly string[]): string {
  const text = names.join(', ').replace(/[^\x20-\x7e]/g, '?');
  return text.length > longestHeader ? `${text.slice(0, longestHeader)}...` : text;
}
