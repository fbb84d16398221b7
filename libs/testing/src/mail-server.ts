import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A received mail. */
export interface TakenMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Header and text as they were sent. */
  readonly source: string;
}

/**
 * A mail server on this machine, for the user `callsmith`: refuses each of the first mails with the next of `refusals`
 * (SMTP status), then accepts them.
 */
export async function mailServer(
  password: string,
  refusals: readonly number[] = [],
): Promise<{ readonly url: string; readonly got: readonly TakenMail[]; stop(): Promise<void> }> {
  const got: TakenMail[] = [];
  const left = [...refusals];
  const server = new SMTPServer({
    authOptional: false,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth: (auth, _, done) =>
      auth.username === 'callsmith' && auth.password === password
        ? done(null, { user: auth.username })
        : done(new Error('a secret of the mail server')),
    onData(stream, session, done) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const refusal = left.shift();
        if (refusal !== undefined)
          return done(Object.assign(new Error('a secret of the mail server'), { responseCode: refusal }));
        const { mailFrom, rcptTo } = session.envelope;
        got.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          source: Buffer.concat(parts).toString('utf8'),
        });
        done();
      });
    },
  });
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://callsmith:${encodeURIComponent(password)}@127.0.0.1:${port}`,
    got,
    stop: () => new Promise((done) => server.close(() => done())),
  };
}
