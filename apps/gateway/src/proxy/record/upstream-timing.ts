/** The times of the upstream request. Written by `upstream/`. */
export class UpstreamTiming {
  /** Milliseconds that the request waited for a free connection; not part of the overhead. */
  waitedMs = 0;
  /** `performance.now()` when the first attempt was sent. */
  requestSentAt: number | undefined;
  /** `performance.now()` of the newest attempt's first byte; of a whole response: its last. */
  firstByteAt: number | undefined;
}
