import { CONFIG, type Config } from '@callsmith/config';
import type { AlertDelivery, AlertFormat, AlertScope, AlertTriggers, QuietHours, Webhook } from '@callsmith/contracts';
import {
  Alerts,
  alertUrl,
  findDelivery,
  findWebhook,
  insertWebhook,
  listWebhooks,
  newWebhookSecret,
  openWebhook,
  removeWebhook,
  sealedWebhook,
  updateWebhook,
  type WebhookDetail,
  webhookIsNamed,
} from '@callsmith/data/alerts';
import { PrismaService } from '@callsmith/data/database';
import { newId } from '@callsmith/data/ids';
import { modelNames } from '@callsmith/data/models';
import { CannotUnseal } from '@callsmith/data/secrets';
import { listTeams } from '@callsmith/data/teams';
import { RefusedAddress } from '@callsmith/data/upstreams';
import { Fault } from '@callsmith/turn';
import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../access/caller.ts';
import { fieldFault, nameTaken } from '../field-fault.ts';
import { refuseManaged } from '../managed.ts';
import { deliveryView, webhookView } from './webhook-view.ts';

interface Given {
  readonly name: string;
  readonly url: string;
  readonly format: AlertFormat;
  readonly triggers: AlertTriggers;
  readonly scope: AlertScope;
  readonly quietHours: QuietHours | null;
  readonly timeZone: string;
  readonly weeklyDigest: boolean;
}

/** Receivers of alerts. Only admins set their addresses, by the rules for upstreams. */
@Injectable()
export class WebhooksService {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly prisma: PrismaService,
    private readonly alerts: Alerts,
  ) {}

  async list(): Promise<{ items: Webhook[] }> {
    return { items: (await listWebhooks(this.prisma)).map(webhookView) };
  }

  async create({ name, url, ...settings }: Given, caller: Caller): Promise<{ webhook: Webhook; secret: string }> {
    await this.#refuseTaken(name);
    await this.#refuseUnknown(settings.scope);
    const secret = newWebhookSecret();
    const place = sealedWebhook(this.config.secretKey, { url: this.#checked(url, settings.format), secret });
    const row = await insertWebhook(
      this.prisma,
      { actor: caller.actor },
      { id: newId('hook'), name, ...settings, ...place },
    );
    return { webhook: webhookView(row), secret };
  }

  async change(
    id: string,
    {
      name,
      url,
      format,
      enabled,
      triggers,
      scope,
      quietHours,
      timeZone,
      weeklyDigest,
    }: { [Name in keyof Given]?: Given[Name] | undefined } & { enabled?: boolean | undefined },
    caller: Caller,
  ): Promise<Webhook> {
    const before = await this.#find(id);
    refuseManaged(before, 'This webhook');
    if (name !== undefined) await this.#refuseTaken(name, id);
    if (scope !== undefined) await this.#refuseUnknown(scope);
    if (format !== undefined && url === undefined && (format === 'email') !== (before.format === 'email'))
      throw fieldFault({ path: 'url', message: 'is required when the format changes between e-mail and webhook' });
    const row = await updateWebhook(this.prisma, { actor: caller.actor }, id, {
      ...(name !== undefined && { name }),
      ...(format !== undefined && { format }),
      ...(enabled !== undefined && { enabled }),
      ...(triggers !== undefined && { triggers }),
      ...(scope !== undefined && { scope }),
      ...(quietHours !== undefined && { quietHours }),
      ...(timeZone !== undefined && { timeZone }),
      ...(weeklyDigest !== undefined && { weeklyDigest }),
      ...(url !== undefined && this.#moved(before, this.#checked(url, format ?? (before.format as AlertFormat)))),
    });
    return webhookView(row);
  }

  async remove(id: string, caller: Caller): Promise<Record<string, never>> {
    refuseManaged(await this.#find(id), 'This webhook');
    await removeWebhook(this.prisma, { actor: caller.actor }, id);
    return {};
  }

  async test(id: string): Promise<AlertDelivery> {
    await this.#find(id);
    return deliveryView(await findDelivery(this.prisma, await this.alerts.test(id)));
  }

  /** The secret stays the same when the address changes. */
  #moved(before: WebhookDetail, url: string) {
    try {
      const { secret } = openWebhook(this.config.secretKey, before);
      return sealedWebhook(this.config.secretKey, { url, secret });
    } catch (cause) {
      if (!(cause instanceof CannotUnseal)) throw cause;
      throw new Fault(
        'conflict',
        'Its secret was encrypted with another SECRET_KEY. Remove the webhook and add it again.',
        { cause },
      );
    }
  }

  /** Checks whether alerts of a format may be sent to an address (security 11). Throws `upstream_address_refused`. */
  #checked(text: string, format: AlertFormat): string {
    if (format === 'email' && this.config.mail === undefined)
      throw fieldFault({ path: 'format', message: 'needs a mail server: set SMTP_URL and SMTP_FROM' });
    try {
      return alertUrl(text, format);
    } catch (cause) {
      if (!(cause instanceof RefusedAddress)) throw cause;
      const fields = [{ path: 'url', message: cause.message }];
      throw new Fault('upstream_address_refused', `url: ${cause.message}`, { param: 'url', fields, cause });
    }
  }

  async #find(id: string): Promise<WebhookDetail> {
    const row = await findWebhook(this.prisma, id);
    if (!row) throw new Fault('not_found', 'Webhook not found.');
    return row;
  }

  async #refuseUnknown({ models, teams }: AlertScope): Promise<void> {
    const [knownModels, knownTeams] = await Promise.all([
      modelNames(this.prisma, models),
      listTeams(this.prisma, undefined),
    ]);
    refuseUnknownIn('models', models, new Set(knownModels.keys()));
    refuseUnknownIn('teams', teams, new Set(knownTeams.map(({ id }) => id)));
  }

  async #refuseTaken(name: string, except?: string): Promise<void> {
    if (await webhookIsNamed(this.prisma, name, except)) throw nameTaken('a webhook', name);
  }
}

/** Refuses unknown ids in one list of a scope. */
function refuseUnknownIn(kind: 'models' | 'teams', ids: readonly string[], existing: ReadonlySet<string>) {
  const at = ids.findIndex((id) => !existing.has(id));
  if (at >= 0)
    throw fieldFault({
      path: `scope.${kind}.${at}`,
      message: `must be the id of a ${kind.slice(0, -1)}; found "${ids[at]}"`,
    });
}
