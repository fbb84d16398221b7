import { type api, type Client, createClient, routes } from '@callsmith/contracts';

/** Who calls: with the installation's `ADMIN_KEY`, or with the token of a sign-in link. */
export type Credential = { readonly adminKey: string } | { readonly linkToken: string };

/** A client of the admin API of the gateway at `url`, signed in. Throws `ApiError`, or a `TypeError` where nothing answers. */
export async function adminClient(url: string, credential: Credential): Promise<Client<typeof api>> {
  if ('adminKey' in credential) return clientWith(url, { 'x-admin-key': credential.adminKey });
  const cookie: { value?: string } = {};
  const signIn: typeof fetch = async (input, init) => {
    const reply = await fetch(input, init);
    cookie.value = reply.headers
      .getSetCookie()
      .map((each) => each.split(';')[0])
      .join('; ');
    return reply;
  };
  await createClient<typeof api>(routes, url, signIn).session.useLink({ body: { token: credential.linkToken } });
  return clientWith(url, { cookie: cookie.value ?? '' });
}

const clientWith = (url: string, headers: Readonly<Record<string, string>>): Client<typeof api> =>
  createClient<typeof api>(routes, url, (input, init) =>
    fetch(input, { ...init, headers: { ...init?.headers, ...headers } }),
  );
