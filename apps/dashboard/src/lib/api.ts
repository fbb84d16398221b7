import { api, createClient } from '@callsmith/contracts';

/** The admin API of the gateway that served this page. */
export const client = createClient(api);
