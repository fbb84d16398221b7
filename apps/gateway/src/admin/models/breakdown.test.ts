import { newId } from '@callsmith/data/ids';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../test-gateway.ts';
import { failedTurn, recordTurns, testTurn } from '../test-turns.ts';

let gateway: TestGateway;
let modelId: string;
const MINUTE = 60_000;

beforeAll(async () => {
  gateway = await startTestGateway();
  modelId = (await gateway.prisma.model.findUniqueOrThrow({ where: { name: 'demo-native' } })).id;
  const teamId = gateway.teams.own;
  const call = {
    n: 0,
    tool: 'read_file',
    outcome: 'clean',
    classes: [],
    rules: [],
    action: null,
    bytes: 9,
    shape: null,
  } as const;
  await recordTurns(gateway, [
    failedTurn({ modelId, teamId, agoMs: 5 * MINUTE, client: 'kilo', engineVersion: '0.12.0' }),
    testTurn({ modelId, teamId, agoMs: 9 * MINUTE, calls: [call] }),
    testTurn({ modelId, teamId, agoMs: 8 * MINUTE, strategyUsed: 'prompt', injectedTokens: 40, inputTokens: 100 }),
    testTurn({ modelId, teamId: gateway.teams.other, agoMs: 2 * MINUTE, client: 'codex', engineVersion: '9.9.9' }),
  ]);
});
afterAll(() => gateway.stop());

const show = (who: 'admin' | 'viewer', id = modelId) =>
  gateway.send('GET', `/api/models/${id}/breakdown`, { as: gateway.cookies[who] });

it('a model’s outcomes by tool, by client, by size of its tool prompt, and by engine version in order of appearance', async () => {
  const { body } = await show('viewer');
  expect(body.tools).toEqual([
    { tool: 'write_file', clean: 0, repaired: 0, invalid: 0, failed: 1 },
    { tool: 'read_file', clean: 1, repaired: 0, invalid: 0, failed: 0 },
  ]);
  expect(body.clients.map(({ client, turns }: { client: string; turns: number }) => [client, turns])).toEqual([
    ['cline', 2],
    ['kilo', 1],
  ]);
  expect(body.toolPrompt).toEqual([{ strategy: 'prompt', turns: 1, tokens: 40, inputTokens: 100 }]);
  expect(body.engines.map(({ version, turns }: { version: string; turns: number }) => [version, turns])).toEqual([
    ['0.11.0', 2],
    ['0.12.0', 1],
  ]);
});

it('security 29: users of one team see only its requests; admins see all', async () => {
  expect(JSON.stringify((await show('viewer')).body)).not.toMatch(/codex|9\.9\.9/);
  expect(JSON.stringify((await show('admin')).body)).toMatch(/codex.*9\.9\.9/);
  expect((await show('viewer', 'model_of_nobody')).status).toBe(404);
});

it('an engine’s version changes are listed by upstream, also back to an earlier one, and as of the start of the range', async () => {
  const other = newId('model');
  await gateway.prisma.model.create({ data: { id: other, name: 'moved' } });
  const turn = (agoMinutes: number, upstreamId: string, engineVersion: string) =>
    testTurn({ modelId: other, teamId: gateway.teams.own, agoMs: agoMinutes * MINUTE, upstreamId, engineVersion });
  await recordTurns(gateway, [
    turn(200, 'up_a', '1.0'),
    ...[50, 40].map((ago) => turn(ago, 'up_a', '1.1')),
    turn(30, 'up_a', '1.0'),
    turn(20, 'up_a', '1.1'),
    // Another upstream that kept its own version all the time.
    ...[210, 45, 25, 15].map((ago) => turn(ago, 'up_b', '7')),
  ]);
  const from = new Date(Date.now() - 60 * MINUTE).toISOString();
  const as = gateway.cookies.viewer;
  const { body } = await gateway.send('GET', `/api/models/${other}/breakdown?from=${from}`, { as });
  const ago = (at: string) => Math.round((Date.now() - Date.parse(at)) / MINUTE);
  expect(body.engineChanges.map(({ version, at }: { version: string; at: string }) => [version, ago(at)])).toEqual([
    ['1.1', 50],
    ['1.0', 30],
    ['1.1', 20],
  ]);
});
