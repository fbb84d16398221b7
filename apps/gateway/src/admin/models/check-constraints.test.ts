import { startSimulator } from '@callsmith/simulator';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../test-gateway.ts';

let gateway: TestGateway;
let simulator: Awaited<ReturnType<typeof startSimulator>>;
beforeAll(async () => {
  simulator = await startSimulator();
  gateway = await startTestGateway();
});
afterAll(async () => {
  await gateway.stop();
  await simulator.close();
});

const asAdmin = (method: 'POST' | 'DELETE', url: string, body?: object) =>
  gateway.send(method, url, { as: gateway.cookies.admin, body });

it('H-8 which constraints an engine enforces is checked on demand, shown with its evidence, and can be cleared', async () => {
  const baseUrl = `${simulator.url}/v1`;
  const upstreamId = (await asAdmin('POST', '/api/upstreams', { name: 'sim', baseUrl, kind: 'sglang' })).body.id;
  const routes = [{ upstreamId, upstreamModel: 'sim-native@constraint=heed' }];
  await asAdmin('POST', '/api/models', { name: 'held', routes });
  const { status, body } = await asAdmin('POST', '/api/models/held/constraints');
  expect(status).toBe(200);
  const found = (body.learned as { what: string; value: string; reason: string }[])
    .map(({ what, value, reason }) => [what, value, reason.startsWith('Held to "k')])
    .sort();
  expect(found).toEqual([
    ['constraint:response_format.structural_tag', 'true', true],
    ['constraint:response_format.structures', 'true', true],
    ['constraint:strict', 'true', true],
  ]);
  const what = 'constraint:strict';
  const forgot = await asAdmin('DELETE', `/api/models/held/learned?what=${what}&upstreamId=${upstreamId}`);
  expect((forgot.body.learned as { what: string }[]).some((one) => one.what === what)).toBe(false);
});
