import type { AlertFormat, AlertTrigger } from '@callsmith/contracts';
import type { AlertMessage } from './alert.ts';

/** Where the dashboard shows what an alert is about. */
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

/** A message with its link. `publicUrl`: the gateway's own address, without a slash at its end; undefined: it is not known. */
export function withLink(message: AlertMessage, publicUrl: string | undefined): AlertMessage {
  if (publicUrl === undefined) return message;
  const { trigger, about } = message;
  return { ...message, link: publicUrl + (trigger && about ? pages[trigger](about.id) : '/settings') };
}

/** A message as it is posted. Of Slack: https://docs.slack.dev/messaging/formatting-message-text, where names may not speak. */
export function messageBody(message: AlertMessage, format: AlertFormat): string {
  if (format === 'standard') return JSON.stringify(message);
  const { event, say, link } = message;
  const sign = { began: ':red_circle:', ended: ':large_green_circle:', test: ':speech_balloon:' }[event];
  const text = `${sign} ${escaped(say)}${link ? `\n<${link}|Open Callsmith>` : ''}`;
  return JSON.stringify({ text });
}

/** Text that holds no mention, link or format of Slack's. */
const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/[*_~`@]/g, (mark) => `${mark}\u200b`);
