import { createPrisma } from '@callsmith/data/database';
import type { TurnRecord } from '@callsmith/data/record';
import { OWN_SECRETS_NAME, redact } from '@callsmith/data/redaction';
import { editSetting } from '@callsmith/data/settings';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../test-gateway.ts';
import { failedTurn, recordTurns } from '../test-turns.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const acme = { name: 'Staff ids', begins: 'ACME-', follows: 'digits', atLeast: 6 };
const as = () => ({ as: gateway.cookies.admin });
const add = (body: object) => gateway.send('POST', '/api/redaction', { ...as(), body });
const own = async () => (await gateway.send('GET', '/api/redaction', as())).body.own;
const clear = async () => {
  for (const { id } of await own()) await gateway.send('DELETE', `/api/redaction/${id}`, as());
};

/** A failed turn with a secret in every place that is stored. */
function turnWith(secret: string): TurnRecord {
  const turn = failedTurn({ model: secret, errorMessage: `no ${secret}`, requestId: secret });
  const call = { ...turn.calls[0]!, tool: `read_${secret}` };
  const fragments = [...secret].map((piece) => ({ index: 0, arguments: piece }));
  return {
    ...turn,
    calls: [call],
    body: {
      clientRequest: JSON.stringify({ messages: [{ content: `first\n${secret}\tlast` }] }),
      upstreamRequest: JSON.stringify({ prompt: JSON.stringify({ said: secret }) }),
      raw: [{ choice: 0, text: `a ${secret}`, reasoning: `b ${secret}`, cuts: [4, 5], fragments }],
      delivered: { calls: [{ name: 'f', arguments: `{"${secret}":"${secret}"}` }], [secret]: 1 },
      notes: [{ stage: 'parse', class: 'InvalidJson', detail: `at ${secret}`, tool: secret }],
      settings: { promptAddition: { value: `be ${secret}`, source: 'declared' } },
    },
  };
}

it('security 19, 20: a secret of a custom pattern is stored nowhere, from the moment the pattern is added', async () => {
  const secret = 'ACME-20261120';
  await recordTurns(gateway, [turnWith(secret)]);
  const kept = async () => {
    const { prisma } = gateway;
    const rows = [await prisma.turn.findMany(), await prisma.call.findMany(), await prisma.turnBody.findMany()];
    return JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? Number(value) : value));
  };
  expect(await kept()).toContain(secret);
  await gateway.prisma.$executeRaw`TRUNCATE turn, call, turn_body`;
  const { status, body } = await add(acme);
  expect(status).toBe(200);
  expect(body).toEqual({ ...acme, id: expect.stringMatching(/^mask_/) });
  await recordTurns(gateway, [turnWith(secret)]);
  const after = await kept();
  expect(after).not.toContain('ACME-');
  expect(after).not.toContain('20261120');
  expect(after).toContain(`a ${'•'.repeat(secret.length)}`);
  await gateway.prisma.$executeRaw`TRUNCATE turn, call, turn_body`;
  await gateway.send('DELETE', `/api/redaction/${body.id}`, as());
  await recordTurns(gateway, [turnWith(secret)]);
  expect(await kept()).toContain(secret);
});

it('a change by another process takes effect here within 5 s', async () => {
  const other = createPrisma(gateway.config.databaseUrl);
  await editSetting(other, { actor: 'another' }, OWN_SECRETS_NAME, () => ({ own: [{ ...acme, id: 'mask_other' }] }));
  await other.$disconnect();
  for (const began = Date.now(); redact('ACME-123456') !== '•'.repeat(11); )
    if (Date.now() - began > 5_000) throw new Error('not within 5 s');
    else await new Promise((resolve) => setTimeout(resolve, 20));
  await clear();
  expect(redact('ACME-123456')).toBe('ACME-123456');
});

it('additions and removals are audited, and concurrent ones all count', async () => {
  await Promise.all(['aaa-', 'bbb-', 'ccc-'].map((begins) => add({ ...acme, begins })));
  const found = await own();
  expect(found.map(({ begins }: { begins: string }) => begins).sort()).toEqual(['aaa-', 'bbb-', 'ccc-']);
  const { body } = await gateway.send('GET', '/api/audit?targetKind=settings&targetId=redaction', as());
  expect(body.items[0]).toMatchObject({ actor: 'admin@callsmith.local', action: 'settings.change' });
  expect(body.items[0].after.own).toHaveLength(3);
  await clear();
  expect(await own()).toEqual([]);
  expect((await gateway.send('DELETE', '/api/redaction/mask_none', as())).status).toBe(404);
});

it('security 14: accepts no regular expression, and reports at the field what it does not accept', async () => {
  const wrong: [object, string][] = [
    [{ ...acme, name: ' ' }, 'name'],
    [{ ...acme, begins: 'ab' }, 'begins'],
    [{ ...acme, begins: '   a' }, 'begins'],
    [{ ...acme, begins: 'a"b' }, 'begins'],
    [{ ...acme, begins: 'a\\b' }, 'begins'],
    [{ ...acme, begins: 'Bücher' }, 'begins'],
    [{ ...acme, begins: 'a'.repeat(41) }, 'begins'],
    [{ ...acme, follows: '(a+)+$' }, 'follows'],
    [{ ...acme, atLeast: 0 }, 'atLeast'],
    [{ ...acme, atLeast: 201 }, 'atLeast'],
    [{ ...acme, pattern: '(a+)+$' }, 'pattern'],
  ];
  for (const [body, field] of wrong) {
    const reply = await add(body);
    expect(reply.status, JSON.stringify(body)).toBe(400);
    expect(reply.body.error.fields.map(({ path }: { path: string }) => path)).toEqual([field]);
  }
  // Regular expression syntax is taken literally.
  await add({ ...acme, begins: '(a+)+$', follows: 'nothing' });
  expect(redact('(a+)+$ aaaaaaaa')).toBe('•••••• aaaaaaaa');
  expect((await add({ ...acme, begins: '(a+)+$', follows: 'nothing' })).body.error).toMatchObject({
    param: 'begins',
    message: 'begins: is already masked by Staff ids',
  });
  for (let n = 0; n < 19; n++) expect((await add({ ...acme, begins: `x${n}--` })).status).toBe(200);
  expect((await add({ ...acme, begins: 'too-many' })).body.error.fields[0].path).toBe('name');
  await clear();
});

it('a text can be tested with a pattern before it is added', async () => {
  const tried = async (body: object) =>
    (await gateway.send('POST', '/api/redaction/try', { ...as(), body })).body.masked;
  expect(await tried({ text: 'ACME-123456 hf_abcdefghijklmnopqrstuvwxyzABCDEFGH' })).toBe(
    `ACME-123456 ${'•'.repeat(37)}`,
  );
  expect(await tried({ text: 'ACME-123456', pattern: acme })).toBe('•'.repeat(11));
  expect(await own()).toEqual([]);
});
