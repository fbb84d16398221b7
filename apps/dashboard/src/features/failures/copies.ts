import { type Transcript, transcriptCases } from '@callsmith/evaluate';

/** A text as one word of a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * A command that sends a recorded request again to the gateway at `origin`. The key is read from a variable: the record
 * has none.
 */
export const curlOf = (origin: string, route: string, clientRequest: string): string =>
  [
    `curl ${quoted(origin + route)}`,
    `-H "Authorization: Bearer $CALLSMITH_API_KEY"`,
    `-H 'Content-Type: application/json'`,
    `--data-binary ${quoted(clientRequest)}`,
  ].join(' \\\n  ');

/** Lines for `callsmith parse` and `callsmith evaluate`: what the model said, one a choice. */
export const parseCasesOf = (transcript: Transcript): string =>
  transcriptCases(transcript)
    .map((line) => JSON.stringify(line))
    .join('\n');
