import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../test-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const remove = (id: string) => gateway.send('DELETE', `/api/teams/${id}`, { as: gateway.cookies.admin });
const messageOf = async (id: string) => (await remove(id)).body.error.message;

it('a team with users or active keys is not deleted; an empty one is, but never the only one', async () => {
  const { own, other } = gateway.teams;
  const as = gateway.cookies.admin;
  expect(await messageOf(own)).toMatch(/^default has 2 users and \d active keys?\. Move the users/);
  const issued = await gateway.send('POST', '/api/keys', { as, body: { teamId: other, holder: 'Ann' } });
  expect(await messageOf(other)).toMatch(/^other has 0 users and 1 active key\. /);
  await gateway.send('DELETE', `/api/keys/${issued.body.key.id}`, { as });
  expect((await remove(other)).status).toBe(200);
  expect((await remove(other)).status).toBe(404);
  const last = await remove(own);
  expect([last.status, last.body.error.message]).toEqual([409, 'This is the only team; add another one first.']);
});
