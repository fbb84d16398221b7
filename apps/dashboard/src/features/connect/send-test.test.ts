import { afterEach, expect, it, vi } from 'vitest';
import { sendTest, type TestStep } from './send-test.ts';

afterEach(() => vi.unstubAllGlobals());

const ask = { secret: 'sk-cs-secret-of-a-test', hint: 'sk-…test', model: 'm' };
const json = (body: unknown, status = 200) =>
  new Response(JSON.stringify(body), { status, headers: { 'x-request-id': 'req_1' } });
const usage = (hint = ask.hint) => json({ key: { hint, owner: 'Ann' } });
const replyWith = (message: object) => json({ choices: [{ message }] });
const call = { id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Zurich"}' } };

async function run(...replies: (Response | Error)[]) {
  const fetched = vi.fn<(path: string, given: RequestInit) => Promise<Response>>(async () => {
    const reply = replies.shift();
    if (reply instanceof Response) return reply;
    throw reply ?? new Error('asked too often');
  });
  vi.stubGlobal('fetch', fetched);
  let last: readonly TestStep[] = [];
  const sent: string[] = [];
  await sendTest(
    ask,
    (steps) => {
      last = steps;
    },
    (id) => sent.push(id),
  );
  return { steps: last.map(({ name, ok, found }) => [name, ok, found]), fetched, sent };
}

it('reports each step: key, model, call and answer, and sends no cookie', async () => {
  const { steps, fetched, sent } = await run(
    usage(),
    replyWith({ role: 'assistant', content: null, tool_calls: [call] }),
    replyWith({ role: 'assistant', content: 'Clear, 21 degrees.' }),
  );
  expect(steps).toEqual([
    ['Key accepted', true, 'sk-…test of Ann'],
    ['Model reached', true, expect.stringMatching(/^m answered in \d+ ms$/)],
    ['Call parsed', true, 'get_weather({"city":"Zurich"})'],
    ['Answer', true, 'Clear, 21 degrees.'],
  ]);
  expect(fetched.mock.calls.map(([, { credentials }]) => credentials)).toEqual(['omit', 'omit', 'omit']);
  expect(JSON.parse(String(fetched.mock.calls[2]?.[1].body)).messages[2]).toMatchObject({
    role: 'tool',
    tool_call_id: 'c1',
  });
  expect(sent).toEqual(['req_1', 'req_1']);
});

it('stops at the step that fails, with the gateway’s message', async () => {
  expect((await run(json({ error: { message: 'This key is not known.' } }, 401))).steps).toEqual([
    ['Key accepted', false, 'This key is not known.'],
  ]);
  expect((await run(usage('sk-…else'))).steps[0]?.[2]).toBe(
    'You entered the key sk-…else; this page belongs to sk-…test.',
  );
  expect((await run(usage(), new Error('refused'))).steps[1]).toEqual([
    'Model reached',
    false,
    'The gateway is unreachable.',
  ]);
  expect((await run(usage(), new Response('<p>', { status: 502 }))).steps[1]?.[2]).toBe('The gateway returned 502.');
  expect((await run(usage(), replyWith({ role: 'assistant', content: 'It is sunny.' }))).steps[2]).toEqual([
    'Call parsed',
    false,
    'The model called no tool. Its response: It is sunny.',
  ]);
});
