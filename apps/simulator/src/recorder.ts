import type { IncomingHttpHeaders } from 'node:http';
import type { JsonValue } from '@callsmith/turn';

/** One received request, and how its response ended. Times are epoch milliseconds. */
export interface RecordedRequest {
  readonly number: number;
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The parsed body; the text itself if it is not JSON; undefined if there is none. */
  body: JsonValue | undefined;
  model: string | undefined;
  status: number | undefined;
  /** Faults drawn for this turn. */
  faults: readonly string[];
  /** When the first byte of the response's body was sent. */
  firstByteAt: number | undefined;
  /** Stream events written. */
  frames: number;
  endedAt: number | undefined;
  /** `complete`; `aborted`: the client disconnected at `endedAt`; `cut`: a fault closed the connection. */
  end: 'complete' | 'aborted' | 'cut' | undefined;
}

/** Keeps the last `limit` requests, oldest first. */
export class Recorder {
  readonly requests: RecordedRequest[] = [];
  private count = 0;

  constructor(private readonly limit: number) {}

  add(seen: Pick<RecordedRequest, 'method' | 'path' | 'headers'>): RecordedRequest {
    const request: RecordedRequest = {
      ...seen,
      number: ++this.count,
      at: Date.now(),
      body: undefined,
      model: undefined,
      status: undefined,
      faults: [],
      firstByteAt: undefined,
      frames: 0,
      endedAt: undefined,
      end: undefined,
    };
    this.requests.push(request);
    if (this.requests.length > this.limit) this.requests.shift();
    return request;
  }
}
