/** When the upstream was asked and answered. Written by `upstream/`. */
export class UpstreamTiming {
  /** Milliseconds that the request waited for a free connection; not our own time. */
  waitedMs = 0;
  /** `performance.now()` when the first attempt went out. */
  requestSentAt: number | undefined;
  /** `performance.now()` of the newest attempt's first byte; of a whole answer: its last. */
  firstByteAt: number | undefined;
}
