import { createServer } from 'node:http';
import { expect, test } from '../fixture.ts';
import { admin, adminPost, ask, signIn } from './steps.ts';

const said: Record<string, string> = {
  'look-one': 'Je regarde – une minute 🙂.\n\n<tool_call>\n{"name": "read_file", "arguments": {"path": "né🙂.txt"}}\n</tool_call>\n\nDone.',
  'look-mend': 'Let me read both.\n<tool_call>\n{\'name\': \'ReadFile\', \'arguments\': {\'path\': \'a.txt\', deep: True,}}\n</tool_call>\n<tool_call>[{"name": "read_file", "arguments": {"path": "a\nb.txt"}}, {"name": "nope", "arguments": {"x": 1}}, {"name": "read_file", "arguments": {"path": "c.txt"}]</tool_call>',
};

test('look', async ({ page, product }) => {
  const server = createServer((req, res) => {
    let body = '';
    req.on('data', (d) => (body += d));
    req.on('end', () => {
      res.setHeader('content-type', 'application/json');
      if (req.url?.endsWith('/models')) return res.end(JSON.stringify({ object: 'list', data: Object.keys(said).map((id) => ({ id, object: 'model' })) }));
      if (!req.url?.endsWith('/chat/completions')) { res.statusCode = 404; return res.end('{}'); }
      const { model } = JSON.parse(body);
      res.end(JSON.stringify({ id: 'x', object: 'chat.completion', created: 1, model, choices: [{ index: 0, message: { role: 'assistant', content: said[model] }, finish_reason: 'stop' }] }));
    });
  }).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  await adminPost(product, '/api/upstreams', { name: 'look', baseUrl: `http://127.0.0.1:${(server.address() as { port: number }).port}` });
  const ids: Record<string, string> = {};
  for (const model of Object.keys(said)) {
    await product.changeModel(model, { strategy: 'native', dialect: 'hermes' });
    await ask(product, model);
    await expect.poll(async () => {
      const { items } = await admin<{ items: { id: string }[] }>(product, `/api/failures?limit=5&model=${model}`);
      return (ids[model] = items[0]?.id ?? '');
    }).not.toBe('');
    console.log(JSON.stringify((await admin<{ body: { notes: unknown } }>(product, `/api/turns/${ids[model]}`)).body.notes));
  }
  await signIn(page, product, '/');
  for (const colorScheme of ['light', 'dark'] as const)
    for (const model of Object.keys(said)) {
      await page.emulateMedia({ colorScheme });
      await page.goto(`/failures/${ids[model]}`);
      const lane = page.getByRole('region', { name: 'What the model said', exact: true });
      await expect(lane).toBeVisible();
      await page.waitForTimeout(300);
      await lane.screenshot({ path: `/tmp/t/look/${model}-${colorScheme}.png` });
      if (model === 'look-mend') await page.screenshot({ path: `/tmp/t/look/page-${colorScheme}.png`, fullPage: true });
    }
  server.close();
});
