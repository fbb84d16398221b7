import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from './test-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

/** Sends a body unchanged. */
const raw = async (payload: string, contentType = 'application/json') => {
  const reply = await gateway.app.inject({
    method: 'POST',
    url: '/api/keys',
    headers: { cookie: gateway.cookies.admin, 'content-type': contentType },
    payload,
  });
  return { status: reply.statusCode, error: reply.json().error, headers: reply.headers };
};

it('a body that is not JSON is a 400 in the error format', async () => {
  const { status, error } = await raw('{"teamId":');
  expect([status, error.code, error.type, error.origin]).toEqual([
    400,
    'invalid_json',
    'invalid_request_error',
    'client',
  ]);
});

it('security 9: __proto__ in a body is refused', async () => {
  expect((await raw('{"__proto__":{"role":"admin"},"teamId":"x","holder":"y"}')).status).toBe(400);
  expect((await raw('{"constructor":{"prototype":{"role":"admin"}},"teamId":"x","holder":"y"}')).status).toBe(400);
});

it('another media type is a 415', async () => {
  expect((await raw('teamId=x', 'application/x-www-form-urlencoded')).error.code).toBe('unsupported_media_type');
});

it('security 9: a large body is refused by the admin API', async () => {
  const { status, error } = await raw(JSON.stringify({ holder: 'x'.repeat(2 * 1024 * 1024) }));
  expect([status, error.code]).toEqual([413, 'body_too_large']);
});

it('an unknown path and an unknown method are 404 in the error format', async () => {
  for (const [method, url] of [
    ['GET', '/api/nothing'],
    ['PUT', '/api/keys'],
  ] as const) {
    const { status, body } = await gateway.send(method, url, { as: gateway.cookies.admin });
    expect([status, body.error?.code]).toEqual([404, 'not_found']);
  }
});

it('every response carries a request id', async () => {
  const { headers } = await gateway.send('GET', '/api/keys');
  expect(headers['x-request-id']).toMatch(/^req_/);
});
