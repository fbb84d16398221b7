import { client } from '../../lib/api.ts';

/** Uses a one-time link, and sets the password that goes with it. (By its endpoint's name it would look like a hook.) */
export const redeemLink = client.session.useLink;
