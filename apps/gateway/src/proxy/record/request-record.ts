import { AttemptLog } from './attempt-log.ts';
import { RequestInfo } from './request-info.ts';
import { newResponseSummary, type ResponseSummary } from './response-summary.ts';
import { UpstreamTiming } from './upstream-timing.ts';

/**
 * The record of one request to an inference route. Each part is written by the folder it names; holders of the whole
 * only read it.
 */
export interface RequestRecord {
  readonly request: Readonly<RequestInfo>;
  readonly attempts: Readonly<AttemptLog>;
  readonly upstream: Readonly<UpstreamTiming>;
  readonly response: ResponseSummary;
}

/** The parts of a new request's record, for their writers. */
export const newRecord = (requestId: string, path: string, client: string) => ({
  request: new RequestInfo(requestId, path, client),
  attempts: new AttemptLog(),
  upstream: new UpstreamTiming(),
  response: newResponseSummary(),
});

/** What `newRecord` makes. */
export type RecordParts = ReturnType<typeof newRecord>;

/**
 * The gateway's overhead in milliseconds, as far as it is known now; undefined before the request was sent upstream and
 * answered.
 */
export function overheadMs({ request, upstream, response }: RequestRecord): number | undefined {
  const { requestSentAt, firstByteAt, waitedMs } = upstream;
  if (requestSentAt === undefined || firstByteAt === undefined) return undefined;
  return requestSentAt - request.arrivedAt - waitedMs + ((response.firstSentAt ?? endOf(response)) - firstByteAt);
}

/** `performance.now()` at the end of the request; until then: now. */
export const endOf = ({ endedAt }: Pick<ResponseSummary, 'endedAt'>): number => endedAt ?? performance.now();
