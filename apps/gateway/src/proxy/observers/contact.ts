import type { LastContact } from '../last-contact.ts';
import type { Watch } from './observer.ts';

/** Remembers who was here last, and how it went. */
export const contactWith =
  (contact: LastContact): Watch =>
  (exchange) => ({
    done() {
      const { at, client, fault, status } = exchange;
      const accepted = fault === undefined || fault.origin !== 'client';
      contact.note({ at, client, accepted, say: fault ? `${fault.status}: ${fault.message}` : `${status}` });
    },
  });
