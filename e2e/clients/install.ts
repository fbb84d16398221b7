import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import table from './clients.json' with { type: 'json' };

const row = z.object({
  name: z.string(),
  title: z.string(),
  /** npm packages, exact versions. */
  packages: z.array(z.string()).optional(),
  /** Python packages, exact versions. */
  python: z.array(z.string()).optional(),
  /** Its install scripts must run: they link its program. */
  scripts: z.boolean().optional(),
  /** The folder it is installed in, if several rows share one; else its name. */
  install: z.string().optional(),
  wire: z.enum(['chat', 'responses', 'messages', 'gemini']),
  /** Part of the model id, if a client's behavior depends on it. */
  modelSuffix: z.string().optional(),
  /** Its names for its tools. */
  tools: z.object({ read: z.string(), write: z.string(), shell: z.string() }),
});
export type ClientRow = z.infer<typeof row>;

/** All clients. */
export const clients: readonly ClientRow[] = z.array(row).parse(table);

const run = promisify(execFile);

/**
 * Installs a client into its own folder below `cache`, unless it exists. Returns the folder, or why it is not
 * available: then it is "not shown", never "passed".
 */
export async function install(
  client: ClientRow,
  cache: string,
  agents: string,
): Promise<{ folder: string } | { missing: string }> {
  const folder = join(cache, client.install ?? client.name);
  const wanted = JSON.stringify([client.packages, client.python, client.scripts]);
  const stamp = join(folder, 'installed.json');
  try {
    if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
      if (client.packages) await installNpm(client.packages, client.scripts === true, folder);
      if (client.python) await installPython(client.python, folder);
      writeFileSync(stamp, wanted);
    }
    cpSync(agents, folder, { recursive: true });
    return { folder };
  } catch (error) {
    return {
      missing: lastLine((error as { stderr?: string }).stderr) ?? (error as Error).message.split('\n')[0] ?? 'unknown',
    };
  }
}

async function installNpm(packages: readonly string[], scripts: boolean, folder: string): Promise<void> {
  const flags = ['--no-audit', '--no-fund', '--save-exact', ...(scripts ? [] : ['--ignore-scripts'])];
  // Install scripts keep their own caches: put them here, not into the user's home.
  const env = { ...process.env, XDG_CACHE_HOME: join(folder, '.cache') };
  await run('npm', ['install', ...flags, ...packages], { cwd: folder, maxBuffer: 64e6, env });
}

async function installPython(packages: readonly string[], folder: string): Promise<void> {
  await run('python3', ['-m', 'venv', 'venv'], { cwd: folder });
  await run(join(folder, 'venv', 'bin', 'pip'), ['install', '--quiet', '--disable-pip-version-check', ...packages], {
    cwd: folder,
    maxBuffer: 64e6,
  });
}

const lastLine = (text: string | undefined): string | undefined => text?.trim().split('\n').at(-1) || undefined;
