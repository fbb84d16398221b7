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
  const triggers = webhook?.triggers;
  return {
    name: webhook?.name ?? '',
    url: '',
    format: webhook?.format ?? 'standard',
    failedRate: !triggers || triggers.failedRate !== null,
    failedShare: percent(triggers?.failedRate?.share ?? 0.1),
    failedMinutes: triggers?.failedRate?.minutes ?? 15,
    failedCalls: triggers?.failedRate?.calls ?? 30,
    malformedRate: Boolean(triggers?.malformedRate),
    malformedShare: percent(triggers?.malformedRate?.share ?? 0.3),
    malformedMinutes: triggers?.malformedRate?.minutes ?? 15,
    malformedCalls: triggers?.malformedRate?.calls ?? 30,
    failureBudget: triggers?.failureBudget ?? true,
    errorRate: !triggers || Boolean(triggers.errorRate),
    errorShare: percent(triggers?.errorRate?.share ?? 0.1),
    errorMinutes: triggers?.errorRate?.minutes ?? 15,
    errorRequests: triggers?.errorRate?.requests ?? 30,
    slowFirstToken: Boolean(triggers?.slowFirstToken),
    slowSeconds: triggers?.slowFirstToken?.seconds ?? 60,
    slowMinutes: triggers?.slowFirstToken?.minutes ?? 15,
    slowRequests: triggers?.slowFirstToken?.requests ?? 30,
    noRequests: Boolean(triggers?.noRequests),
    idleMinutes: triggers?.noRequests?.minutes ?? 60,
    upstreamDown: !triggers || triggers.upstreamDown !== null,
    downMinutes: triggers?.upstreamDown?.minutes ?? 5,
    recordLost: triggers?.recordLost ?? true,
    budgetSpent: !triggers || triggers.budgetSpent !== null,
    spentShare: percent(triggers?.budgetSpent?.share ?? 0.8),
    spend: Boolean(triggers?.spend),
    spendAmount: triggers?.spend?.amount ?? 100,
    spendHours: triggers?.spend?.hours ?? 24,
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
