import type { AlertFormat, AlertScope, AlertTriggers, QuietHours, Webhook } from '@callsmith/contracts';

/** Numbers of the triggers as they are typed; shares in percent. */
export interface TriggerValues {
  readonly failedShare: number | string;
  readonly failedMinutes: number | string;
  readonly failedCalls: number | string;
  readonly malformedShare: number | string;
  readonly malformedMinutes: number | string;
  readonly malformedCalls: number | string;
  readonly errorShare: number | string;
  readonly errorMinutes: number | string;
  readonly errorRequests: number | string;
  readonly slowSeconds: number | string;
  readonly slowMinutes: number | string;
  readonly slowRequests: number | string;
  readonly idleMinutes: number | string;
  readonly downMinutes: number | string;
  readonly spentShare: number | string;
  readonly spendAmount: number | string;
  readonly spendHours: number | string;
}

/** A webhook as its form holds it. */
export interface WebhookValues extends TriggerValues {
  readonly name: string;
  readonly url: string;
  readonly format: AlertFormat;
  readonly failing: boolean;
  readonly misshaping: boolean;
  readonly burning: boolean;
  readonly erring: boolean;
  readonly slow: boolean;
  readonly idle: boolean;
  readonly down: boolean;
  readonly lost: boolean;
  readonly spent: boolean;
  readonly spending: boolean;
  readonly scope: AlertScope;
  /** Both empty: none. */
  readonly quietHours: QuietHours;
  readonly timeZone: string;
  readonly weeklyDigest: boolean;
  /** No field: where errors about triggers stand. */
  readonly triggers: null;
}

/** What the form of a webhook begins with; a new one is told of all that is a failure everywhere. */
export function valuesOf(webhook: Webhook | undefined): WebhookValues {
  const given = webhook?.triggers;
  return {
    name: webhook?.name ?? '',
    url: '',
    format: webhook?.format ?? 'standard',
    failing: !given || given.failedRate !== null,
    failedShare: percent(given?.failedRate?.share ?? 0.1),
    failedMinutes: given?.failedRate?.minutes ?? 15,
    failedCalls: given?.failedRate?.calls ?? 30,
    misshaping: Boolean(given?.malformedRate),
    malformedShare: percent(given?.malformedRate?.share ?? 0.3),
    malformedMinutes: given?.malformedRate?.minutes ?? 15,
    malformedCalls: given?.malformedRate?.calls ?? 30,
    burning: given?.failureBudget ?? true,
    erring: !given || Boolean(given.errorRate),
    errorShare: percent(given?.errorRate?.share ?? 0.1),
    errorMinutes: given?.errorRate?.minutes ?? 15,
    errorRequests: given?.errorRate?.requests ?? 30,
    slow: Boolean(given?.slowFirstToken),
    slowSeconds: given?.slowFirstToken?.seconds ?? 60,
    slowMinutes: given?.slowFirstToken?.minutes ?? 15,
    slowRequests: given?.slowFirstToken?.requests ?? 30,
    idle: Boolean(given?.noRequests),
    idleMinutes: given?.noRequests?.minutes ?? 60,
    down: !given || given.upstreamDown !== null,
    downMinutes: given?.upstreamDown?.minutes ?? 5,
    lost: given?.recordLost ?? true,
    spent: !given || given.budgetSpent !== null,
    spentShare: percent(given?.budgetSpent?.share ?? 0.8),
    spending: Boolean(given?.spend),
    spendAmount: given?.spend?.amount ?? 100,
    spendHours: given?.spend?.hours ?? 24,
    scope: webhook?.scope ?? { models: [], teams: [], clients: [] },
    quietHours: webhook?.quietHours ?? { from: '', to: '' },
    weeklyDigest: webhook?.weeklyDigest ?? false,
    timeZone: webhook?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    triggers: null,
  };
}

/** The form as the API takes it; a URL that was not typed is left out. */
export function bodyOf(values: WebhookValues): {
  name: string;
  url?: string;
  format: AlertFormat;
  triggers: AlertTriggers;
  scope: AlertScope;
  quietHours: QuietHours | null;
  timeZone: string;
  weeklyDigest: boolean;
} {
  const { from, to } = values.quietHours;
  return {
    name: values.name,
    ...(values.url !== '' && { url: values.format === 'email' ? `mailto:${values.url.trim()}` : values.url }),
    format: values.format,
    triggers: {
      failedRate: values.failing
        ? {
            share: share(values.failedShare),
            minutes: Number(values.failedMinutes),
            calls: Number(values.failedCalls),
          }
        : null,
      malformedRate: values.misshaping
        ? {
            share: share(values.malformedShare),
            minutes: Number(values.malformedMinutes),
            calls: Number(values.malformedCalls),
          }
        : null,
      failureBudget: values.burning,
      errorRate: values.erring
        ? {
            share: share(values.errorShare),
            minutes: Number(values.errorMinutes),
            requests: Number(values.errorRequests),
          }
        : null,
      slowFirstToken: values.slow
        ? {
            seconds: Number(values.slowSeconds),
            minutes: Number(values.slowMinutes),
            requests: Number(values.slowRequests),
          }
        : null,
      noRequests: values.idle ? { minutes: Number(values.idleMinutes) } : null,
      upstreamDown: values.down ? { minutes: Number(values.downMinutes) } : null,
      recordLost: values.lost,
      budgetSpent: values.spent ? { share: share(values.spentShare) } : null,
      spend: values.spending ? { amount: Number(values.spendAmount), hours: Number(values.spendHours) } : null,
    },
    scope: values.scope,
    quietHours: from === '' && to === '' ? null : { from, to },
    timeZone: values.timeZone,
    weeklyDigest: values.weeklyDigest,
  };
}

const percent = (part: number): number => Math.round(part * 1000) / 10;
const share = (typed: number | string): number => Number(typed) / 100;
