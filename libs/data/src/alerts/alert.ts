import type { AlertEvent, AlertTrigger } from '@callsmith/contracts';

/** Something that is wrong now and that somebody wants to be told of. */
export interface Alert {
  readonly trigger: AlertTrigger;
  /** The model, upstream or key that it is about; `record`. */
  readonly aboutId: string;
  readonly aboutName: string;
  /** One sentence. */
  readonly say: string;
}

/** What a webhook is sent, as JSON. */
export interface AlertMessage {
  /** The delivery's id: a receiver that has seen it before ignores it. */
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
  readonly event: AlertEvent;
  /** Null: a digest or a test. */
  readonly trigger: AlertTrigger | null;
  readonly about: { readonly id: string; readonly name: string } | null;
  readonly say: string;
  /** Where the dashboard shows it; absent: the gateway does not know its own address. */
  readonly link?: string;
}
