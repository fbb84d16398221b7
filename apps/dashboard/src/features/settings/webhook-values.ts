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
  readonly failedRate: boolean;
  readonly malformedRate: boolean;
  readonly failureBudget: boolean;
  readonly errorRate: boolean;
  readonly slowFirstToken: boolean;
  readonly noRequests: boolean;
  readonly upstreamDown: boolean;
  readonly recordLost: boolean;
  readonly budgetSpent: boolean;
  readonly spend: boolean;
  readonly scope: AlertScope;
  /** Both empty: none. */
  readonly quietHours: QuietHours;
  readonly timeZone: string;
  readonly weeklyDigest: boolean;
  /** No field: where errors about triggers are shown. */
  readonly triggers: null;
}

/** What the form of a webhook begins with; a new one alerts on all that is a failure everywhere. */
export function valuesOf(webhook: Webhook | undefined): WebhookValues {
  const given = webhook?.triggers;
  return {
    name: webhook?.name ?? '',
    url: '',
    format: webhook?.format ?? 'standard',
    failedRate: !given || given.failedRate !== null,
    failedShare: percent(given?.failedRate?.share ?? 0.1),
    failedMinutes: given?.failedRate?.minutes ?? 15,
    failedCalls: given?.failedRate?.calls ?? 30,
    malformedRate: Boolean(given?.malformedRate),
    malformedShare: percent(given?.malformedRate?.share ?? 0.3),
    malformedMinutes: given?.malformedRate?.minutes ?? 15,
    malformedCalls: given?.malformedRate?.calls ?? 30,
    failureBudget: given?.failureBudget ?? true,
    errorRate: !given || Boolean(given.errorRate),
    errorShare: percent(given?.errorRate?.share ?? 0.1),
    errorMinutes: given?.errorRate?.minutes ?? 15,
    errorRequests: given?.errorRate?.requests ?? 30,
    slowFirstToken: Boolean(given?.slowFirstToken),
    slowSeconds: given?.slowFirstToken?.seconds ?? 60,
    slowMinutes: given?.slowFirstToken?.minutes ?? 15,
    slowRequests: given?.slowFirstToken?.requests ?? 30,
    noRequests: Boolean(given?.noRequests),
    idleMinutes: given?.noRequests?.minutes ?? 60,
    upstreamDown: !given || given.upstreamDown !== null,
    downMinutes: given?.upstreamDown?.minutes ?? 5,
    recordLost: given?.recordLost ?? true,
    budgetSpent: !given || given.budgetSpent !== null,
    spentShare: percent(given?.budgetSpent?.share ?? 0.8),
    spend: Boolean(given?.spend),
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
      failedRate: values.failedRate
        ? {
            share: share(values.failedShare),
            minutes: Number(values.failedMinutes),
            calls: Number(values.failedCalls),
          }
        : null,
      malformedRate: values.malformedRate
        ? {
            share: share(values.malformedShare),
            minutes: Number(values.malformedMinutes),
            calls: Number(values.malformedCalls),
          }
        : null,
      failureBudget: values.failureBudget,
      errorRate: values.errorRate
        ? {
            share: share(values.errorShare),
            minutes: Number(values.errorMinutes),
            requests: Number(values.errorRequests),
          }
        : null,
      slowFirstToken: values.slowFirstToken
        ? {
            seconds: Number(values.slowSeconds),
            minutes: Number(values.slowMinutes),
            requests: Number(values.slowRequests),
          }
        : null,
      noRequests: values.noRequests ? { minutes: Number(values.idleMinutes) } : null,
      upstreamDown: values.upstreamDown ? { minutes: Number(values.downMinutes) } : null,
      recordLost: values.recordLost,
      budgetSpent: values.budgetSpent ? { share: share(values.spentShare) } : null,
      spend: values.spend ? { amount: Number(values.spendAmount), hours: Number(values.spendHours) } : null,
    },
    scope: values.scope,
    quietHours: from === '' && to === '' ? null : { from, to },
    timeZone: values.timeZone,
    weeklyDigest: values.weeklyDigest,
  };
}

const percent = (part: number): number => Math.round(part * 1000) / 10;
const share = (typed: number | string): number => Number(typed) / 100;
