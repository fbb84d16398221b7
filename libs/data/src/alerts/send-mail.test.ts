import { mailServer } from '@callsmith/testing';
import { afterEach, expect, it } from 'vitest';
import { sendMail } from './send-mail.ts';

const PASSWORD = 'p@ss/word?of the test';
const mail = { id: 'dlv_1', to: 'on-call@example.com', subject: '[Callsmith] Alert', text: 'It failed.\n' };
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function server(refusals?: readonly number[]) {
  const started = await mailServer(PASSWORD, refusals);
  ends.push(started.stop);
  return { ...started, from: 'callsmith@example.com' };
}

it('a mail reaches its only recipient through the server, authenticated, and is marked as automatic', async () => {
  const { got, ...place } = await server();
  expect(await sendMail(place, mail)).toEqual({ status: 250, problem: undefined, latencyMs: expect.any(Number) });
  expect(got).toMatchObject([{ from: 'callsmith@example.com', to: ['on-call@example.com'] }]);
  expect(got[0]!.source).toMatch(/^Message-ID: <dlv_1@example\.com>\r$/m);
  expect(got[0]!.source).toMatch(/^Auto-Submitted: auto-generated\r$/m);
  expect(got[0]!.source).toMatch(/\r\n\r\nIt failed\.\r\n$/);
});

it('security: names in a subject or a text add no header and no recipient', async () => {
  const { got, ...place } = await server();
  const name = 'x\r\nBcc: thief@example.com\r\n\r\nhello';
  await sendMail(place, { ...mail, subject: name, text: `${name}\r\n.\r\nMAIL FROM:<thief@example.com>\r\n` });
  expect(got).toHaveLength(1);
  expect(got[0]!.to).toEqual(['on-call@example.com']);
  const [header = ''] = got[0]!.source.split('\r\n\r\n');
  expect(header).not.toMatch(/^Bcc:/im);
});

it.each([451, 550])('a refusal (%i) is reported by its status only', async (status) => {
  const { got, ...place } = await server([status]);
  expect(await sendMail(place, mail)).toMatchObject({ status, problem: `the mail server answers ${status}` });
  expect(got).toEqual([]);
});

it('security: a wrong password is reported without it, and without the server’s reply', async () => {
  const { got, ...place } = await server();
  const wrong = { ...place, url: place.url.replace(encodeURIComponent(PASSWORD), 'other-password') };
  const sent = await sendMail(wrong, mail);
  expect(sent).toMatchObject({ status: 535, problem: 'the mail server answers 535' });
  expect(got).toEqual([]);
});

it('a missing server', async () => {
  const { stop, ...place } = await server();
  await stop();
  ends.splice(0);
  expect(await sendMail(place, mail)).toMatchObject({ status: undefined, problem: 'connection refused' });
});
