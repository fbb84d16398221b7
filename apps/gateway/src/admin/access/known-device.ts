import { randomBytes, timingSafeEqual } from 'node:crypto';
import { CONFIG, type Config } from '@callsmith/config';
import { hashDevice } from '@callsmith/data/secrets';
import { Inject, Injectable } from '@nestjs/common';
import type { HttpExchange } from '../http-exchange.ts';

const DEVICE_COOKIE = 'callsmith_device';
const DEVICE_SECONDS = 180 * 86_400;

/**
 * Recognizes a browser in which a user signed in to an account before, so that a stranger who guesses passwords cannot
 * lock the owner out. The cookie gives no access: its attempts are only counted separately from those of strangers.
 */
@Injectable()
export class KnownDevice {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** The id of the browser if it is known for this account; else undefined. */
  of(account: string, http: HttpExchange): string | undefined {
    const [id = '', signature = ''] = http.cookie(DEVICE_COOKIE)?.split('.') ?? [];
    const expected = Buffer.from(this.#sign(account, id));
    const received = Buffer.from(signature);
    return received.length === expected.length && timingSafeEqual(received, expected) ? id : undefined;
  }

  /** Remembers the browser for an account after a successful sign-in. */
  remember(account: string, http: HttpExchange): void {
    const id = randomBytes(12).toString('base64url');
    http.setCookie(DEVICE_COOKIE, `${id}.${this.#sign(account, id)}`, { maxAgeSeconds: DEVICE_SECONDS });
  }

  #sign(account: string, id: string): string {
    return hashDevice(this.config.secretKey, account.toLowerCase(), id);
  }
}
