import type { LastContact } from './last-contact.ts';
import type { ObserverFactory } from './observer.ts';

/** Remembers who was here last, and how it went. The demo's own turns are not somebody setting up a client. */
export const lastContactObserver =
  (contact: LastContact): ObserverFactory =>
  ({ request, response }) => ({
    done() {
      const { at, client } = request;
      const { fault, status } = response;
      if (client === 'demo') return;
      const accepted = fault === undefined || fault.origin !== 'client';
      contact.note({ at, client, accepted, say: fault ? `${fault.status}: ${fault.message}` : `${status}` });
    },
  });
