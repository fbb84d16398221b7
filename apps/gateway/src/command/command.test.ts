import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { adminKey, startTestGateway, type TestGateway } from '../admin/test-gateway.ts';
import { demoModels } from '../demo/tasks.ts';
import { exitCodes } from './exit-codes.ts';
import { runCommand } from './program.ts';

const root = join(import.meta.dirname, '../../../..');
const folder = mkdtempSync(join(tmpdir(), 'callsmith-command-'));

/** Runs a command in a separate environment, and returns what it printed. */
async function callsmith(args: readonly string[], env: Record<string, string> = {}) {
  const printed = { out: '', err: '' };
  const code = await runCommand(args, {
    root,
    env: { DATA_DIR: folder, PORT: '1', ...env },
    out: (text) => void (printed.out += text),
    err: (text) => void (printed.err += text),
  });
  return { code, ...printed };
}

describe('without a gateway', () => {
  it('a wrong command line exits with 64, says what is wrong and suggests what may be meant', async () => {
    expect(await callsmith(['key', 'crete'])).toMatchObject({
      code: exitCodes.usage,
      err: expect.stringMatching(/unknown command 'crete'\n.*Did you mean create/),
    });
    expect(await callsmith(['nonsense'])).toMatchObject({ code: exitCodes.usage });
    expect(await callsmith(['key', 'create'])).toMatchObject({
      code: exitCodes.usage,
      err: expect.stringContaining("missing required argument 'owner'"),
    });
    const limit = await callsmith(['key', 'create', 'Ada', '--requests-per-minute', '0']);
    expect(limit).toMatchObject({ code: exitCodes.usage, err: expect.stringContaining('whole number of at least 1') });
  });

  it('help exits with 0 and has an example for every command that creates or changes something', async () => {
    expect(await callsmith(['--help'])).toMatchObject({ code: 0, out: expect.stringContaining('Exit codes: 0 done') });
    for (const words of [
      ['key', 'create'],
      ['key', 'import'],
      ['upstream', 'add'],
      ['model', 'set'],
      ['export'],
      ['parse'],
      ['evaluate'],
    ])
      expect(await callsmith([...words, '--help'])).toMatchObject({ code: 0, out: expect.stringContaining('\n  $ ') });
  });

  it('recorded replies are evaluated from a file, as a table or as rows; a missing file is named', async () => {
    const file = join(folder, 'replies.jsonl');
    const tools = [{ type: 'function', function: { name: 'ring', parameters: { type: 'object' } } }];
    writeFileSync(file, `${JSON.stringify({ id: 'one', tools, text: 'Good morning.' })}\n`);
    const result = await callsmith(['evaluate', file, '--model', 'qwen3-coder']);
    expect(result).toMatchObject({ code: 0, out: expect.stringMatching(/\| directly \|/i) });
    const rows = JSON.parse((await callsmith(['evaluate', file, '--json'])).out) as { id: string }[];
    expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(['one']));
    expect(await callsmith(['evaluate', join(folder, 'none.jsonl')])).toMatchObject({
      code: exitCodes.failed,
      err: expect.stringContaining('none.jsonl'),
    });
  });

  it('it says if nothing answers, and exits with 69', async () => {
    expect(await callsmith(['key', 'list'])).toMatchObject({
      code: exitCodes.unreachable,
      err: expect.stringMatching(/^No Callsmith responds at http:\/\/127\.0\.0\.1:1 .+ set CALLSMITH_URL\.\n$/),
    });
    const named = await callsmith(['key', 'list'], { CALLSMITH_URL: 'http://127.0.0.1:1/' });
    expect(named).toMatchObject({
      code: exitCodes.unreachable,
      err: expect.stringContaining('CALLSMITH_URL names it'),
    });
  });

  it('wrong settings are named', async () => {
    expect(await callsmith(['key', 'list'], { WORKERS: 'many' })).toMatchObject({
      code: exitCodes.failed,
      err: expect.stringMatching(/WORKERS +"many" +environment +must be a whole number/),
    });
  });

  it('a shell completes commands and their options', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    const completed = async (...args: string[]) => {
      log.mockClear();
      expect((await callsmith(args)).code).toBe(0);
      return log.mock.calls.join('\n');
    };
    expect(await completed('completion', 'bash')).toContain('complete -F __callsmith_complete callsmith');
    expect(await completed('complete', '--', 'key', '')).toMatch(/^create\t.*\nlist\t.*\nrevoke/);
    expect(await completed('complete', '--', 'key', 'create', '--t')).toMatch(/^--team\t/);
    log.mockRestore();
  });

  it('docs/command.md names every command and exit code', async () => {
    const page = readFileSync(join(root, 'docs/command.md'), 'utf8');
    const commands = async (...under: string[]) =>
      [...(await callsmith([...under, '--help'])).out.matchAll(/^ {2}([a-z][\w-]*)(?: [<[].*?)? {2}/gm)]
        .map(([, name]) => name as string)
        .filter((name) => name !== 'help');
    const all = await commands();
    expect(all).toEqual(expect.arrayContaining(['serve', 'key', 'parse']));
    for (const name of all) {
      const within = ['key', 'team', 'upstream', 'model', 'config'].includes(name) ? await commands(name) : [];
      for (const command of within.length > 0 ? within.map((one) => `${name} ${one}`) : [name])
        expect(page).toMatch(new RegExp(`\`${command}[ \`]`));
    }
    for (const code of Object.values(exitCodes)) expect(page).toContain(`\n| ${code} | `);
  });
});

describe('with a gateway', () => {
  let gateway: TestGateway;
  let gatewayEnv: { CALLSMITH_URL: string; ADMIN_KEY: string };
  let server: Server;
  let modelServer: string;

  beforeAll(async () => {
    gateway = await startTestGateway();
    await gateway.app.listen(0, '127.0.0.1');
    gatewayEnv = { CALLSMITH_URL: await gateway.app.getUrl(), ADMIN_KEY: adminKey };
    server = createServer((request, reply) => {
      if (request.url === '/v1/chat/completions') {
        const message = { role: 'assistant', content: modelOutput };
        reply.writeHead(200, { 'content-type': 'application/json' });
        reply.end(
          JSON.stringify({ object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'length' }] }),
        );
        return;
      }
      const listed = request.headers.authorization === 'Bearer the-servers-key' && request.url === '/v1/models';
      reply.writeHead(listed ? 200 : 401, { 'content-type': 'application/json' });
      reply.end(JSON.stringify(listed ? { object: 'list', data: [{ id: 'made-up-7b', object: 'model' }] } : {}));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    modelServer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    server?.close();
    await gateway?.stop();
  });

  const modelOutput = `<tool_call>{"name": "read_file", "arguments": {"path": "sk-${'a'.repeat(40)}`;

  const json = async (args: readonly string[]) => {
    const { out, err, code } = await callsmith([...args, '--json'], gatewayEnv);
    expect({ err, code }).toEqual({ err: '', code: 0 });
    return JSON.parse(out);
  };

  it('a key is created, listed and revoked', async () => {
    const { code, out } = await callsmith(
      [
        'key',
        'create',
        'Ada Lovelace',
        '--team',
        'other',
        '--model',
        demoModels[0],
        '--model',
        demoModels[1],
        '--tokens-per-minute',
        '5000',
      ],
      gatewayEnv,
    );
    expect(code).toBe(0);
    expect(out).toMatch(/^\S{20,}\n$/);
    const keys = await json(['key', 'list', '--team', 'other']);
    expect(keys).toMatchObject([
      { holder: 'Ada Lovelace', allowedModels: demoModels.slice(0, 2), tokensPerMinute: 5000 },
    ]);
    expect((await callsmith(['key', 'list'], gatewayEnv)).out).toMatch(
      /^ID +KEY +OWNER +TEAM.*\n.*Ada Lovelace +other +.+, .+ +never/,
    );
    expect(await json(['key', 'revoke', keys[0].id])).toMatchObject([{ revokedAt: expect.any(String) }]);
    expect(await json(['key', 'list', '--team', 'other'])).toEqual([]);
    expect(await json(['key', 'list', '--team', 'other', '--revoked'])).toHaveLength(1);
  });

  it('keys of another system are imported from a file, and those that exist are named', async () => {
    const file = join(folder, 'keys.txt');
    writeFileSync(file, `sk-of-another-system-0001\tGrace\n${'a'.repeat(64)}, Alan\nsk-of-another-system-0003\n`);
    expect((await callsmith(['key', 'import', file, '--owner', 'Ops'], gatewayEnv)).out).toBe('3 imported.\n');
    const again = await json(['key', 'import', file]);
    expect(again.imported).toEqual([]);
    expect(again.duplicates).toHaveLength(3);
    expect(await callsmith(['key', 'import', join(folder, 'none')], gatewayEnv)).toMatchObject({
      code: exitCodes.failed,
      err: expect.stringContaining('cannot be read (ENOENT)'),
    });
  });

  it('teams are added, listed and removed; an unknown name is answered with the existing ones', async () => {
    await json(['team', 'create', 'research', '--no-bodies']);
    expect((await callsmith(['team', 'list'], gatewayEnv)).out).toMatch(/^research +0 +no$/m);
    expect(await callsmith(['team', 'create', 'research'], gatewayEnv)).toMatchObject({
      code: exitCodes.failed,
      err: 'There is already a team named "research".\n',
    });
    await json(['team', 'remove', 'research']);
    expect(await callsmith(['key', 'list', '--team', 'research'], gatewayEnv)).toMatchObject({
      code: exitCodes.failed,
      err: expect.stringMatching(/There is no team "research"\. Existing teams: .*default/),
    });
  });

  it('an upstream is tested and added with a key given by reference', async () => {
    const env = { ...gatewayEnv, SERVER_KEY: 'the-servers-key' };
    expect((await callsmith(['upstream', 'test', modelServer], gatewayEnv)).code).toBe(exitCodes.toAct);
    expect((await callsmith(['upstream', 'test', modelServer, '--key-env', 'SERVER_KEY'], env)).code).toBe(0);
    const added = await callsmith(['upstream', 'add', modelServer, '--name', 'gpu', '--key-env', 'SERVER_KEY'], env);
    expect(added).toEqual({ code: 0, out: 'gpu was added: made-up-7b.\n', err: '' });
    expect((await callsmith(['upstream', 'list'], gatewayEnv)).out).toMatch(/^gpu +http:\/\/127/m);
    const unset = await callsmith(['upstream', 'test', modelServer, '--key-env', 'NOT_SET'], gatewayEnv);
    expect(unset).toMatchObject({
      code: exitCodes.failed,
      err: expect.stringContaining('NOT_SET (--key-env) is not set'),
    });
    for (const name of ['add', 'test'])
      expect(await callsmith(['upstream', name, 'notaurl'], gatewayEnv)).toMatchObject({
        code: exitCodes.usage,
        err: expect.stringContaining('must be a URL such as http://gpu:8000'),
      });
    expect((await callsmith(['upstream', 'add', 'gpu:8000x/ /'], gatewayEnv)).code).not.toBe(0);
  });

  it('a model is changed by name=value arguments, and what is wrong is named', async () => {
    const changed = await json([
      'model',
      'set',
      'made-up-7b',
      'strategy=prompt',
      'capabilities.tools=false',
      'price={"input":1,"output":2.5}',
      '--reason',
      'leaks',
    ]);
    expect(changed).toMatchObject({
      strategy: { value: 'prompt' },
      capabilities: { tools: { value: false } },
      price: { value: { input: 1, output: 2.5 } },
    });
    expect((await callsmith(['model', 'list'], gatewayEnv)).out).toMatch(/^made-up-7b +prompt +prompt/m);
    const wrong = await callsmith(['model', 'set', 'made-up-7b', 'strategy=best'], gatewayEnv);
    expect(wrong).toMatchObject({ code: exitCodes.failed, err: expect.stringContaining('must be one of') });
    for (const [words, why] of [
      [['strategy'], '"strategy" must be like strategy=prompt.'],
      [['strategy=prompt', 'strategy.x=1'], '"strategy.x=1": strategy was given another value before.'],
    ] as const)
      expect(await callsmith(['model', 'set', 'made-up-7b', ...words], gatewayEnv)).toEqual({
        code: exitCodes.usage,
        out: '',
        err: `${why}\n`,
      });
    const inherited = await callsmith(['model', 'set', 'made-up-7b', '__proto__.x=1'], gatewayEnv);
    expect(inherited.code).toBe(exitCodes.failed);
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  it('recorded requests are exported', async () => {
    expect((await callsmith(['export'], gatewayEnv)).out).toMatch(/^id,/);
    expect(JSON.parse((await callsmith(['export', '--format', 'json'], gatewayEnv)).out)).toBeInstanceOf(Array);
  });

  it('model output of failed requests is exported as cases that parse and evaluate read, secrets masked', async () => {
    const key = await json(['key', 'create', 'Tester']);
    const tool = { type: 'function', function: { name: 'read_file', parameters: { type: 'object' } } };
    const reply = await fetch(`${gatewayEnv.CALLSMITH_URL}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'made-up-7b', tools: [tool], messages: [{ role: 'user', content: 'Read it.' }] }),
    });
    expect(reply.status).toBe(200);
    let out = '';
    await vi.waitFor(async () => {
      const exported = await callsmith(['export', '--failures', '--model', 'made-up-7b'], gatewayEnv);
      expect(exported).toMatchObject({ code: 0, err: 'Failed requests written: 1.\n' });
      out = exported.out;
    }, 10_000);
    expect(JSON.parse(out)).toMatchObject({
      group: 'made-up-7b',
      text: expect.stringMatching(/^<tool_call>\{"name": "read_file", "arguments": \{"path": "•+$/),
      tools: [tool],
      finish_reason: 'length',
    });
    expect(out).not.toContain('a'.repeat(40));
    const file = join(folder, 'failures.jsonl');
    writeFileSync(file, out);
    const evaluated = JSON.parse((await callsmith(['evaluate', file, '--json'])).out);
    expect(evaluated.map(({ group, strategy }: Record<string, unknown>) => `${group} ${strategy}`)).toContain(
      'made-up-7b prompt',
    );
    const none = await callsmith(['export', '--failures', '--model', 'made-up-7b', '--outcome', 'clean'], gatewayEnv);
    expect(none).toMatchObject({ out: '', err: 'Failed requests written: 0.\n' });
  });

  it('a configuration file is checked, compared, applied and exported', async () => {
    const file = join(folder, 'callsmith.yaml');
    writeFileSync(file, 'version: 1\nteams: [{name: of the file}]\n');
    expect((await callsmith(['config', 'check', file])).out).toContain('1 team, 0 upstreams');
    const diff = await callsmith(['config', 'diff', file], gatewayEnv);
    expect(diff).toEqual({ code: exitCodes.toAct, out: 'create team "of the file"\n', err: '' });
    expect((await callsmith(['config', 'apply', file], gatewayEnv)).code).toBe(0);
    expect(await callsmith(['config', 'diff', file], gatewayEnv)).toEqual({
      code: 0,
      out: 'No difference.\n',
      err: '',
    });
    expect((await callsmith(['config', 'export'], gatewayEnv)).out).toMatch(
      /^version: 1\nteams:\n(?:.*\n)*? *- name: of the file\n/,
    );
    writeFileSync(file, 'version: 1\nteams: [{nam: x}]\n');
    expect(await callsmith(['config', 'check', file])).toMatchObject({
      code: exitCodes.failed,
      err: expect.stringContaining('callsmith.yaml:2: teams[0].name is required'),
    });
  });

  it('a missing or wrong ADMIN_KEY exits with 77', async () => {
    const without = await callsmith(['team', 'list'], { CALLSMITH_URL: gatewayEnv.CALLSMITH_URL });
    expect(without).toMatchObject({ code: exitCodes.refused, err: expect.stringContaining('ADMIN_KEY is missing') });
    const wrong = await callsmith(['team', 'list'], { ...gatewayEnv, ADMIN_KEY: 'not-the-key-of-this-one' });
    expect(wrong).toMatchObject({ code: exitCodes.refused, err: expect.stringContaining('does not accept ADMIN_KEY') });
  });
});
