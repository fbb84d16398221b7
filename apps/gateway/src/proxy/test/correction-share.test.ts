import { type RecordedRequest, type Simulator, startSimulator } from '@callsmith/simulator';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { postJson, startProxy, type TestProxy } from './test-proxy.ts';

let simulator: Simulator;
let proxy: TestProxy;

beforeAll(async () => {
  simulator = await startSimulator({ keep: 5_000 });
  const baseUrls = [`${simulator.url}/v1`];
  const weak = ['weak-arguments', 'weak-unreadable', 'weak-empty', 'weak-nothing'];
  proxy = await startProxy(weak.map((name) => ({ name, strategy: 'native' as const, baseUrls })));
});
afterAll(async () => {
  await proxy.close();
  await simulator.close();
});

const parameters = {
  type: 'object',
  properties: { path: { type: 'string' }, content: { type: 'string' } },
  required: ['path', 'content'],
};
const tools = [{ type: 'function', function: { name: 'write_file', description: 'Writes a file', parameters } }];

/** How often a call with this line stands in an answer. */
async function callsOf(model: string, n: number): Promise<number> {
  const content = `Create n${n}.txt containing exactly one line: LINE-${n}`;
  const response = await postJson(proxy, '/v1/chat/completions', {
    model,
    stream: n % 2 === 0,
    messages: [{ role: 'user', content }],
    tools,
  });
  const responseText = await response.text();
  return responseText.split('"name":"write_file"').length - 1;
}

/** Asks so many times, four at once. */
async function askMany(model: string, count: number): Promise<number[]> {
  const calls: number[] = [];
  for (let from = 0; from < count; from += 4)
    calls.push(...(await Promise.all([0, 1, 2, 3].map((one) => callsOf(model, from + one)))));
  return calls;
}

const isAgain = ({ body }: RecordedRequest): boolean =>
  JSON.stringify(body).includes('Write the call again, complete.');
const requestsOf = (model: string): RecordedRequest[] => simulator.requests.filter((one) => one.model === model);

it.each(['weak-arguments', 'weak-unreadable'])(
  'D-35 %s: as many calls are recovered as its model corrects when asked, and none is delivered twice',
  async (model) => {
    const calls = await askMany(model, 120);
    expect(Math.max(...calls)).toBe(1);
    const turns = proxy.recorder.turns.filter((turn) => turn.model === model);
    const again = requestsOf(model).filter(isAgain);
    const corrected = turns.filter((turn) => turn.corrected === true);
    expect(again.length).toBeGreaterThan(20);
    expect(turns.filter(({ attempts }) => attempts > 1)).toHaveLength(again.length);
    const mends = again.filter(({ faults }) => faults.length === 0).length / again.length;
    expect(Math.abs(corrected.length / again.length - mends)).toBeLessThanOrEqual(0.03);
    expect(corrected.every(({ outcome }) => outcome === 'repaired')).toBe(true);
  },
  60_000,
);

it('D-35 weak-empty: an empty answer is sampled again', async () => {
  await askMany('weak-empty', 60);
  const turns = proxy.recorder.turns.filter((turn) => turn.model === 'weak-empty');
  const tried = turns.filter(({ attempts }) => attempts > 1);
  expect(tried.length).toBeGreaterThan(4);
  expect(tried.filter(({ corrected }) => corrected).length / tried.length).toBeGreaterThan(0.5);
}, 60_000);

it('a model without a weakness causes no extra request', async () => {
  await askMany('weak-nothing', 40);
  expect(requestsOf('weak-nothing')).toHaveLength(40);
});
