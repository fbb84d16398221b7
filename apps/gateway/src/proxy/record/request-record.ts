import { AttemptLog } from './attempt-log.ts';
import { RequestInfo } from './request-info.ts';
import { newResponseSummary, type ResponseSummary } from './response-summary.ts';
import { UpstreamTiming } from './upstream-timing.ts';

/** All that is known of one request to an inference route. Each part is written by the room it names; who has the whole only reads it. */
export interface RequestRecord {
  readonly request: Readonly<RequestInfo>;
  readonly attempts: Readonly<AttemptLog>;
  readonly upstream: Readonly<UpstreamTiming>;
  readonly response: ResponseSummary;
}

/** The parts of a new request's record, for those who write them. */
export const newRecord = (requestId: string, path: string, client: string) => ({
  request: new RequestInfo(requestId, path, client),
  attempts: new AttemptLog(),
  upstream: new UpstreamTiming(),
  response: newResponseSummary(),
});

/** What `newRecord` makes. */
export type RecordParts = ReturnType<typeof newRecord>;

/** Our own added time in milliseconds, as far as it is known now; undefined before the request went upstream and was answered. */
export function overheadMs({ request, upstream, response }: RequestRecord): number | undefined {
  const { requestSentAt, firstByteAt, waitedMs } = upstream;
  if (requestSentAt === undefined || firstByteAt === undefined) return undefined;
  return requestSentAt - request.arrivedAt - waitedMs + ((response.firstSentAt ?? endOf(response)) - firstByteAt);
}

/** `performance.now()` when all was over; until then: now. */
export const endOf = ({ endedAt }: Pick<ResponseSummary, 'endedAt'>): number => endedAt ?? performance.now();
