import type { LastContact } from './last-contact.ts';
import type { ObserverFactory } from './observer.ts';

/** Records the last request and its result, except those of the demo, which are no client being set up. */
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
