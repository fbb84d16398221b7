import type { AlertEvent, AlertTrigger } from '@callsmith/contracts';

/** A current problem that a webhook should report. */
export interface Alert {
  readonly trigger: AlertTrigger;
  /** The id of the model, upstream or key; `record`. */
  readonly aboutId: string;
  readonly aboutName: string;
  /** One sentence. */
  readonly say: string;
}

/** The JSON payload for a webhook. */
export interface AlertMessage {
  /** The delivery's id: a receiver ignores one that it has already received. */
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
  readonly event: AlertEvent;
  /** Null: a digest or a test. */
  readonly trigger: AlertTrigger | null;
  readonly about: { readonly id: string; readonly name: string } | null;
  readonly say: string;
  /** Its page in the dashboard; undefined: the gateway does not know its own address. */
  readonly link?: string;
}
