import { startSimulator } from '@callsmith/simulator';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { demoTask } from './tasks.ts';

let simulator: Awaited<ReturnType<typeof startSimulator>>;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

it('every prompt leads to a call', async () => {
  for (let n = 0; n < 13; n++) {
    const { ask, tools } = demoTask(n);
    const reply = await fetch(`${simulator.url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: 'sim-native', messages: [{ role: 'user', content: ask }], tools }),
    });
    const { choices } = (await reply.json()) as { choices: { message: { tool_calls?: unknown[] } }[] };
    expect(choices[0]?.message.tool_calls, ask).toHaveLength(1);
  }
});

it('prompts and models are combined in every way', () => {
  const seen = new Set(Array.from({ length: 52 }, (_, n) => `${demoTask(n).model} ${demoTask(n).ask}`));
  expect(seen.size).toBe(52);
});
