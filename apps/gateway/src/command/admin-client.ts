import { type api, type Client, createClient, routes } from '@callsmith/contracts';

/** Who calls: with the installation's `ADMIN_KEY`, or with the token of a sign-in link. */
export type Credential = { readonly adminKey: string } | { readonly linkToken: string };

/** An authenticated client of the admin API, and the headers that its requests carry. */
interface SignedIn {
  readonly client: Client<typeof api>;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * An authenticated client of the admin API of the gateway at `url`. Throws `ApiError`, or a `TypeError` if nothing
 * answers.
 */
export async function adminClient(url: string, credential: Credential): Promise<SignedIn> {
  if ('adminKey' in credential) return signedIn(url, { 'x-admin-key': credential.adminKey });
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
  return signedIn(url, { cookie: cookie.value ?? '' });
}

function signedIn(url: string, headers: SignedIn['headers']): SignedIn {
  const client = createClient<typeof api>(routes, url, (input, init) =>
    fetch(input, { ...init, headers: { ...init?.headers, ...headers } }),
  );
  return { client, headers };
}
