import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

/** A user's claims, by login name. */
export type People = Record<string, { email: string; email_verified: boolean; name: string; groups: string[] }>;

/** A real OpenID Connect provider on this machine. */
export interface TestProvider {
  readonly issuer: string;
  /** Registers the client at the provider; `redirectUri`: its only redirect URI. */
  register(client: { id: string; secret: string; redirectUri: string }): void;
  /**
   * Signs in as a browser would, from the address that Callsmith redirected to; returns the address it is sent back to.
   */
  signIn(url: string, login: string): Promise<string>;
  stop(): Promise<void>;
}

/** Starts a provider on a free port. */
export async function startTestProvider(people: People): Promise<TestProvider> {
  let serve: ReturnType<Provider['callback']> | undefined;
  const server = createServer((request, response) => void serve?.(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    register({ id, secret, redirectUri }) {
      serve = new Provider(issuer, {
        clients: [
          {
            client_id: id,
            client_secret: secret,
            redirect_uris: [redirectUri],
            token_endpoint_auth_method: 'client_secret_post',
          },
        ],
        claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
        findAccount: (_: unknown, sub: string) => ({ accountId: sub, claims: () => ({ sub, ...people[sub] }) }),
        pkce: { required: () => true },
        cookies: { keys: ['a-key-of-tests'] },
      }).callback();
    },
    signIn: (url, login) => new Browser(issuer).signIn(url, login),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Follows redirects with cookies and submits the provider's forms. */
class Browser {
  private readonly cookies = new Map<string, string>();

  constructor(private readonly issuer: string) {}

  async signIn(start: string, login: string): Promise<string> {
    let url = start;
    let form: URLSearchParams | undefined;
    for (let hop = 0; hop < 15; hop++) {
      const reply = await this.go(url, form);
      const to = reply.headers.get('location');
      if (to !== null) {
        url = new URL(to, url).href;
        form = undefined;
        if (!url.startsWith(this.issuer)) return url;
        continue;
      }
      const page = await reply.text();
      const action = /action="([^"]+)"/.exec(page)?.[1];
      if (action === undefined) throw new Error(`the provider says ${reply.status}: ${page.slice(0, 2000)}`);
      url = new URL(action, url).href;
      const prompt = page.includes('value="login"') ? 'login' : 'consent';
      form = new URLSearchParams({ prompt, login, password: 'any' });
    }
    throw new Error('the provider sends in circles');
  }

  private async go(url: string, form: URLSearchParams | undefined): Promise<Response> {
    const reply = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: form }),
    });
    for (const line of reply.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split(/=(.*)/s);
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return reply;
  }
}
