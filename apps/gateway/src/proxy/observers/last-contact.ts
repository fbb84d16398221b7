import { Injectable } from '@nestjs/common';

/** A request that reached an inference route. */
export interface ClientContact {
  readonly at: Date;
  /** From the closed table of clients, else `other`. */
  readonly client: string;
  /** False: refused before a model request. */
  readonly accepted: boolean;
  /** Its result in one sentence, e.g. `401: the API key is unknown`. Never contains a secret. */
  readonly say: string;
}

/**
 * Remembers the newest request to an inference route, refused ones included, for users who set up their first client.
 */
@Injectable()
export class LastContact {
  #newest: ClientContact | undefined;

  get newest(): ClientContact | undefined {
    return this.#newest;
  }

  note(contact: ClientContact): void {
    this.#newest = contact;
  }
}
