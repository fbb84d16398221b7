import type { AlertFormat, AlertTrigger } from '@callsmith/contracts';
import type { AlertMessage } from './alert.ts';

/** The dashboard page of an alert's subject. */
const pages: Readonly<Record<AlertTrigger, (id: string) => string>> = {
  'failed-rate': (id) => `/models/${encodeURIComponent(id)}`,
  'malformed-rate': (id) => `/models/${encodeURIComponent(id)}`,
  'failure-budget': (id) => `/models/${encodeURIComponent(id)}`,
  'error-rate': (id) => `/models/${encodeURIComponent(id)}`,
  'slow-first-token': (id) => `/models/${encodeURIComponent(id)}`,
  'no-requests': () => '/transcripts',
  'upstream-down': () => '/upstreams',
  'record-lost': () => '/settings',
  'budget-spent': () => '/keys',
  spend: () => '/usage',
};

/** A message with its link. `publicUrl`: the gateway's own address, without a trailing slash; undefined: unknown. */
export function withAbsoluteLink(message: AlertMessage, publicUrl: string | undefined): AlertMessage {
  if (publicUrl === undefined) return message;
  const { trigger, about } = message;
  const page = trigger && about ? pages[trigger](about.id) : message.event === 'digest' ? '/' : '/settings';
  return { ...message, link: publicUrl + page };
}

/** A message as a mail: its subject in one line, and a plain text. */
export function mailOf({ event, trigger, about, say, link }: AlertMessage): { subject: string; text: string } {
  const what = about ? `${trigger} of ${about.name}` : '';
  const title = { began: `Alert: ${what}`, ended: `Over: ${what}`, digest: 'Weekly digest', test: 'Test' }[event];
  return {
    subject: `[Callsmith] ${title}`.replace(/\s+/g, ' ').slice(0, 200),
    text: `${say}${link ? `\n\n${link}` : ''}\n`,
  };
}

/**
 * A message as it is posted. For Slack: https://docs.slack.dev/messaging/formatting-message-text, with names escaped.
 */
export function messageBody(message: AlertMessage, format: Exclude<AlertFormat, 'email'>): string {
  if (format === 'standard') return JSON.stringify(message);
  const { event, say, link } = message;
  const sign = {
    began: ':red_circle:',
    ended: ':large_green_circle:',
    digest: ':bar_chart:',
    test: ':speech_balloon:',
  }[event];
  const text = `${sign} ${escaped(say)}${link ? `\n<${link}|Open Callsmith>` : ''}`;
  return JSON.stringify({ text });
}

/** Text without mentions, links and formats of Slack. */
const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/[*_~`@]/g, (mark) => `${mark}\u200b`);
