import type { TurnDetail } from '@callsmith/contracts';
import { curlOf } from './copies.ts';
import { pretty, prettyText } from './pretty.ts';
import { rawText } from './raw.tsx';

type Body = NonNullable<TurnDetail['body']>;

/**
 * A recorded request as a report in Markdown for the makers of an engine, a model or Callsmith. Secrets in it are masked,
 * as they were recorded. It names neither team, key and owner nor the upstream. Empty without message content.
 */
export function bugReportOf({ turn, callList, body }: TurnDetail, version: string): string {
  if (body === null) return '';
  return [
    `# Tool calling: ${turn.classes.join(', ') || (turn.errorCode ?? turn.outcome ?? 'no tool call')}`,
    [
      fact('Engine', turn.engineVersion),
      fact('Model', turn.model),
      fact('Strategy', turn.strategyUsed),
      fact('Dialect', turn.dialect),
      fact('Client', turn.client),
      fact('Route', `${turn.route}, ${turn.streamed ? 'streamed' : 'not streamed'}`),
      fact('Status', [turn.status, turn.errorCode].filter(Boolean).join(' ')),
      fact('Time', turn.at),
      fact('Callsmith', version),
    ].join('\n'),
    ...(turn.errorMessage === null ? [] : [section('Error', turn.errorMessage)]),
    section('Model output', rawText(body.raw) || '(empty)'),
    ...(body.notes.length === 0 ? [] : [section('Findings', lines(body.notes), 'json')]),
    ...(callList.length === 0 ? [] : [section('Calls', lines(callList), 'json')]),
    section('Response to client', pretty(body.delivered), 'json'),
    ...request('Client request', body.clientRequest),
    ...request('Upstream request', body.upstreamRequest),
    section('Model output as it came', chunksOf(body), 'json'),
    section('Settings in effect', pretty(body.settings), 'json'),
    ...(body.clientRequest === null
      ? []
      : [section('Send it again', curlOf('http://127.0.0.1:4000', turn.route, body.clientRequest), 'sh')]),
  ]
    .join('\n\n')
    .concat('\n');
}

const fact = (name: string, value: string | null): string => `- ${name}: ${value || 'unknown'}`;

const lines = (values: readonly unknown[]): string => values.map((value) => JSON.stringify(value)).join('\n');

const request = (title: string, text: string | null): string[] =>
  text === null ? [] : [section(title, prettyText(text), 'json')];

const chunksOf = ({ raw }: Body): string => lines(raw);

/** A part with its text in a fence that no line of the text can close. */
function section(title: string, text: string, language = 'text'): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `## ${title}\n\n${fence}${language}\n${text}\n${fence}`;
}
