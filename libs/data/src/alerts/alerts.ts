import type { AlertFormat } from '@callsmith/contracts';
import type { PrismaService } from '../database/prisma.ts';
import type { LimitStore } from '../limits/limit-store.ts';
import { CannotUnseal } from '../secrets/secrets.ts';
import { mailAddressOf } from './address.ts';
import type { AlertMessage } from './alert.ts';
import { mailOf, messageBody, withAbsoluteLink } from './message-body.ts';
import { type SendOutcome, sendMessage } from './send.ts';
import { type MailServer, sendMail } from './send-mail.ts';
import { addDelivery, watchAlerts } from './watch-alerts.ts';
import { openWebhook } from './webhooks.ts';

/** A delivery failed and should be retried. */
export class NotDelivered extends Error {
  override readonly name = 'NotDelivered';
}

/** Longer than an attempt can take. */
const IN_FLIGHT_MS = 20_000;

interface AlertOptions {
  readonly secretKey: string;
  /** ISO 4217, of prices. */
  readonly currency: string;
  /** The gateway's own address, for links; undefined: unknown. */
  readonly publicUrl?: string | undefined;
  /** Undefined: no e-mail. */
  readonly mail?: MailServer | undefined;
}

/** Evaluates the triggers of webhooks, and sends their alerts. */
export class Alerts {
  constructor(
    private readonly prisma: PrismaService,
    private readonly limits: LimitStore,
    private readonly options: AlertOptions,
  ) {}

  /** Records which alerts started and ended; returns the ids of all pending deliveries. */
  watch(now = new Date()): Promise<string[]> {
    return watchAlerts(this.prisma, { limits: this.limits, currency: this.options.currency, now });
  }

  /** Sends a test message to a webhook, once; returns the delivery's id. */
  async test(webhookId: string): Promise<string> {
    const say = 'A test from Callsmith: alerts will look like this.';
    const message = { event: 'test', trigger: null, about: null, say } as const;
    const id = await addDelivery(this.prisma, webhookId, message, new Date());
    await this.deliver(id, 1).catch((problem: unknown) => {
      if (!(problem instanceof NotDelivered)) throw problem;
    });
    return id;
  }

  /**
   * Sends the rest of a delivery, from one gateway at a time. Throws `NotDelivered` if it failed; attempt number
   * `mostTries` gives it up.
   */
  async deliver(id: string, mostTries: number): Promise<void> {
    const open = { id, deliveredAt: null, givenUpAt: null };
    const free = { OR: [{ triedAt: null }, { problem: { not: null } }, { triedAt: { lt: before(IN_FLIGHT_MS) } }] };
    const { count } = await this.prisma.alertDelivery.updateMany({
      where: { ...open, ...free },
      data: { tries: { increment: 1 }, triedAt: new Date(), status: null, latencyMs: null, problem: null },
    });
    const row = await this.prisma.alertDelivery.findUnique({ where: { id }, include: { webhook: true } });
    if (!row || row.deliveredAt || row.givenUpAt) return;
    if (count === 0) throw new NotDelivered('another gateway is sending it');
    const { status, latencyMs, problem } = await this.send(row.message as unknown as AlertMessage, row.webhook);
    const over =
      problem === undefined ? { deliveredAt: new Date() } : row.tries >= mostTries ? { givenUpAt: new Date() } : {};
    await this.prisma.alertDelivery.updateMany({
      where: { id },
      data: { status: status ?? null, latencyMs, problem: problem ?? null, ...over },
    });
    if (problem !== undefined) throw new NotDelivered(problem);
  }

  private async send(stored: AlertMessage, webhook: Parameters<typeof openWebhook>[1] & { readonly format: string }) {
    try {
      const { url, secret } = openWebhook(this.options.secretKey, webhook);
      const message = withAbsoluteLink(stored, this.options.publicUrl);
      const format = webhook.format as AlertFormat;
      if (format === 'email') return await this.mail(message, url);
      const body = messageBody(message, format);
      return await sendMessage({ id: stored.id, url, secret, body });
    } catch (problem) {
      if (!(problem instanceof CannotUnseal)) throw problem;
      return {
        status: undefined,
        latencyMs: 0,
        problem: 'its URL was encrypted with another SECRET_KEY: enter it again',
      };
    }
  }

  private async mail(message: AlertMessage, url: string): Promise<SendOutcome> {
    const to = mailAddressOf(url);
    if (this.options.mail === undefined || to === undefined) {
      const problem = to === undefined ? 'it has no e-mail address' : 'this gateway has no mail server (SMTP_URL)';
      return { status: undefined, latencyMs: 0, problem };
    }
    return sendMail(this.options.mail, { id: message.id, to, ...mailOf(message) });
  }
}

const before = (ms: number): Date => new Date(Date.now() - ms);
