import { type api, createClient, routes } from '@callsmith/contracts';

/** The admin API, typed by the contract; of the contract itself only the addresses are loaded. */
export const client = createClient<typeof api>(routes);
