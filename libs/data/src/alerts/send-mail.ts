import { reasonOf } from '../upstreams/request-upstream.ts';
import type { SendOutcome } from './send.ts';

const CONNECT_MS = 4_000;
const IDLE_MS = 10_000;

/** The server that sends e-mail, and the sender. */
export interface MailServer {
  /** `smtp://` or `smtps://`, with user and password. */
  readonly url: string;
  readonly from: string;
}

/** A mail of plain text. */
interface Mail {
  /** The same for all attempts, so that a server can recognize them. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Sends a mail. Of the server's replies only the status (RFC 5321) is kept. Never rejects. */
export async function sendMail(server: MailServer, { id, to, subject, text }: Mail): Promise<SendOutcome> {
  const began = performance.now();
  const sent = (status: number | undefined, problem: string | undefined): SendOutcome => ({
    status,
    problem,
    latencyMs: Math.round(performance.now() - began),
  });
  const bounds = { connectionTimeout: CONNECT_MS, greetingTimeout: CONNECT_MS, socketTimeout: IDLE_MS };
  // Loaded for the first mail: most installations send none.
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({ url: server.url, ...bounds, disableFileAccess: true, disableUrlAccess: true });
  try {
    const { response } = await transport.sendMail({
      from: server.from,
      to: { name: '', address: to },
      subject,
      text,
      messageId: `<${id}@${server.from.slice(server.from.lastIndexOf('@') + 1).replace(/>$/, '')}>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
    return sent(Number.parseInt(response, 10) || undefined, undefined);
  } catch (problem) {
    const status = statusOf(problem);
    return sent(status, status === undefined ? reasonOf(withSystemCode(problem)) : `the mail server answers ${status}`);
  } finally {
    transport.close();
  }
}

/** `nodemailer` has its own codes and puts the system's into the message. */
function withSystemCode(problem: unknown): unknown {
  const [code] =
    (problem instanceof Error &&
      /\bE(?:CONN[A-Z]+|NOTFOUND|AI_AGAIN|[A-Z]+UNREACH|TIMEDOUT)\b/.exec(problem.message)) ||
    [];
  return code === undefined ? problem : Object.assign(new Error(code), { code });
}

const statusOf = (problem: unknown): number | undefined =>
  problem instanceof Error && 'responseCode' in problem && typeof problem.responseCode === 'number'
    ? problem.responseCode
    : undefined;
