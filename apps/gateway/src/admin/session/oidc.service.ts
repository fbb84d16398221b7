import { CONFIG, type Config, type GroupRole, type OidcSettings } from '@callsmith/config';
import { PrismaService } from '@callsmith/data/database';
import { newId } from '@callsmith/data/ids';
import { CannotUnseal, seal, unseal } from '@callsmith/data/secrets';
import { findTeamByName } from '@callsmith/data/teams';
import { findUserByEmail, findUserByOidc, insertUser, type UserRow, updateUser } from '@callsmith/data/users';
import { Fault, isObject, parseJson } from '@callsmith/turn';
import { Inject, Injectable, Logger } from '@nestjs/common';
import * as openid from 'openid-client';
import type { HttpExchange } from '../http-exchange.ts';
import { roleByGroups } from './role-by-groups.ts';
import { SessionService } from './session.service.ts';

/** Where the browser is redirected. */
interface Going {
  readonly url: string;
}

/** What the provider must return unchanged; stored in the browser, encrypted. */
interface Pending {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The identity that the provider asserts. */
interface Person {
  /** Issuer and subject. */
  readonly subject: string;
  readonly email: string | undefined;
  /** The provider has verified the e-mail address. */
  readonly verified: boolean;
  readonly name: string | undefined;
  readonly right: GroupRole | undefined;
}

const COOKIE = 'callsmith_oidc';
const COOKIE_PATH = '/api/oidc';
const PENDING_SECONDS = 600;
const BY = { actor: 'oidc' };

/** Sign-in through an OpenID Connect provider: code flow with PKCE, state and nonce; groups determine roles. */
@Injectable()
export class OidcService {
  readonly #log = new Logger('oidc');
  #provider: Promise<openid.Configuration> | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly prisma: PrismaService,
    private readonly session: SessionService,
  ) {}

  ways(): { oidc: { url: string; issuer: string } | null } {
    const { oidc } = this.config;
    return { oidc: oidc ? { url: '/api/oidc/start', issuer: oidc.issuer } : null };
  }

  async start(http: HttpExchange): Promise<Going> {
    const settings = this.#settings();
    try {
      const provider = await this.#discovered(settings);
      const pending: Pending = {
        state: openid.randomState(),
        nonce: openid.randomNonce(),
        verifier: openid.randomPKCECodeVerifier(),
      };
      const url = openid.buildAuthorizationUrl(provider, {
        redirect_uri: this.#redirectUri(),
        scope: 'openid email profile',
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: 'S256',
      });
      this.#keep(pending, http);
      return { url: url.href };
    } catch (problem) {
      return this.#failed('provider_unreachable', problem);
    }
  }

  /** Signs in, or redirects to the sign-in page with the reason. */
  async callback(http: HttpExchange): Promise<Going> {
    const settings = this.#settings();
    const pending = this.#kept(http);
    http.setCookie(COOKIE, '', { maxAgeSeconds: 0, path: COOKIE_PATH, sameSite: 'Lax' });
    if (!pending) return this.#failed('expired', 'this browser has no sign-in in progress');
    try {
      const person = await this.#person(settings, pending, http);
      if (!person.right) return this.#failed('no_group', `${person.subject} is in no group that has access`);
      const user = await this.#userOf(person, person.right);
      if (typeof user === 'string') return this.#failed(user, person.subject);
      await this.session.open(user, http);
      return { url: '/' };
    } catch (problem) {
      return this.#failed('refused', problem);
    }
  }

  /** Verifies the response: state, code with PKCE, and the ID token's signature, issuer, audience, time and nonce. */
  async #person(settings: OidcSettings, { state, nonce, verifier }: Pending, http: HttpExchange): Promise<Person> {
    const provider = await this.#discovered(settings);
    const back = new URL(this.#redirectUri());
    back.search = http.url.search;
    const tokens = await openid.authorizationCodeGrant(provider, back, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims()!;
    const more =
      claims.email !== undefined && claims[settings.groupsClaim] !== undefined
        ? {}
        : await openid.fetchUserInfo(provider, tokens.access_token, claims.sub).catch(() => ({}));
    const all: Record<string, unknown> = { ...more, ...claims };
    const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value.slice(0, 320) : undefined);
    return {
      subject: `${claims.iss}|${claims.sub}`,
      email: text(all.email)?.toLowerCase(),
      verified: all.email_verified === true,
      name: text(all.name),
      right: roleByGroups(all[settings.groupsClaim], settings.roles),
    };
  }

  /** The user of an identity, created or updated; a text: why there is none. */
  async #userOf(person: Person, { role, team }: GroupRole): Promise<UserRow | string> {
    const teamId = team === undefined ? null : ((await findTeamByName(this.prisma, team))?.id ?? null);
    if (role !== 'admin' && teamId === null) return 'no_team';
    const existing = await this.#existingUser(person);
    if (existing === 'unverified') return 'address_taken';
    if (existing?.disabledAt) return 'disabled';
    const { subject: oidcSubject, email, name = null } = person;
    if (!existing) {
      if (email === undefined) return 'no_email';
      return insertUser(this.prisma, BY, { id: newId('user'), email, name, role, teamId, oidcSubject });
    }
    if (existing.role === role && existing.teamId === teamId && existing.oidcSubject === oidcSubject) return existing;
    const data = { role, teamId, oidcSubject };
    // The last admin keeps the role.
    return (await updateUser(this.prisma, BY, { id: existing.id, action: 'user.change', data })) ?? existing;
  }

  /** By subject; else by a verified e-mail address, so that an unverified claim cannot take over an account. */
  async #existingUser({ subject, email, verified }: Person): Promise<UserRow | 'unverified' | undefined> {
    const bySubject = await findUserByOidc(this.prisma, subject);
    const byEmail = email === undefined ? null : await findUserByEmail(this.prisma, email);
    if (bySubject) return bySubject;
    if (!byEmail) return undefined;
    return verified && byEmail.oidcSubject === null ? byEmail : 'unverified';
  }

  #discovered({ issuer, clientId, clientSecret }: OidcSettings): Promise<openid.Configuration> {
    const url = new URL(issuer);
    this.#provider ??= openid
      .discovery(
        url,
        clientId,
        undefined,
        clientSecret === undefined ? openid.None() : openid.ClientSecretPost(clientSecret),
        {
          execute: [
            openid.enableNonRepudiationChecks,
            ...(url.protocol === 'http:' ? [openid.allowInsecureRequests] : []),
          ],
          timeout: 10,
        },
      )
      .catch((problem: unknown) => {
        this.#provider = undefined;
        throw problem;
      });
    return this.#provider;
  }

  #settings(): OidcSettings {
    if (!this.config.oidc) throw new Fault('not_found', 'Single sign-on is not set up.');
    return this.config.oidc;
  }

  /** Exactly as registered at the provider. */
  #redirectUri(): string {
    return `${this.config.server.publicUrl}/api/oidc/callback`;
  }

  #keep(pending: Pending, http: HttpExchange): void {
    const { keyId, ciphertext } = seal(this.config.secretKey, JSON.stringify(pending));
    // Lax: the browser returns from another site.
    const options = { maxAgeSeconds: PENDING_SECONDS, path: COOKIE_PATH, sameSite: 'Lax' } as const;
    http.setCookie(COOKIE, `${keyId}.${ciphertext}`, options);
  }

  #kept(http: HttpExchange): Pending | undefined {
    const [keyId = '', ciphertext = ''] = http.cookie(COOKIE)?.split('.') ?? [];
    try {
      const pending = parseJson(unseal(this.config.secretKey, { keyId, ciphertext }));
      return isObject(pending) ? (pending as unknown as Pending) : undefined;
    } catch (problem) {
      if (problem instanceof CannotUnseal) return undefined;
      throw problem;
    }
  }

  #failed(reason: string, problem: unknown): Going {
    this.#log.warn(
      `sign-in by OpenID Connect failed (${reason}): ${problem instanceof Error ? problem.message : problem}`,
    );
    return { url: `/sign-in?oidc=${reason}` };
  }
}
