import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../product.ts';

/** A load balancer in front of the gateways. Its header `x-gateway` names the one that responded. */
export interface Balancer {
  readonly name: string;
  readonly url: string;
  stop(): Promise<void>;
}

/** The tested load balancers, by name: how each is configured and started. */
export const balancers = { HAProxy: startHaproxy, nginx: startNginx } as const;

/** As in `deploy/haproxy.cfg`: it sends no new requests to a gateway whose `/readyz` returns 503 twice. */
async function startHaproxy(gateways: readonly number[]): Promise<Balancer> {
  const servers = gateways.map((gateway) => `  server ${gateway} 127.0.0.1:${gateway}`).join('\n');
  return launch(
    'HAProxy',
    gateways,
    'haproxy',
    (file) => ['-db', '-f', file],
    (port) =>
      `${shipped('haproxy.cfg')
        .replace('127.0.0.1:4000', `127.0.0.1:${port}`)
        .replace(/^ {2}server .*\n/gm, '')}${servers}
  http-response set-header x-gateway %s
`,
  );
}

const shipped = (file: string) => readFileSync(resolve(import.meta.dirname, '../../deploy', file), 'utf8');

/** Does not use `/readyz`: a gateway that refuses connections is skipped for 5 s. */
async function startNginx(gateways: readonly number[]): Promise<Balancer> {
  return launch(
    'nginx',
    gateways,
    'nginx',
    (file, folder) => ['-p', folder, '-c', file],
    (port, folder) => `
daemon off;
pid ${folder}/pid;
error_log ${folder}/errors;
worker_processes 1;
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path ${folder}/bodies;
  proxy_temp_path ${folder}/proxied;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  upstream gateways {
    least_conn;
${gateways.map((gateway) => `    server 127.0.0.1:${gateway} max_fails=1 fail_timeout=5s;`).join('\n')}
  }
  server {
    listen 127.0.0.1:${port};
    client_max_body_size 32m;
    location / {
      proxy_pass http://gateways;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_buffering off;
      proxy_connect_timeout 2s;
      proxy_read_timeout 1h;
      proxy_send_timeout 1h;
      add_header x-gateway $upstream_addr always;
    }
  }
}
`,
  );
}

async function launch(
  name: string,
  gateways: readonly number[],
  program: string,
  args: (file: string, folder: string) => string[],
  config: (port: number, folder: string) => string,
): Promise<Balancer> {
  const folder = mkdtempSync(join(tmpdir(), `callsmith-${program}-`));
  const port = await freePort();
  const file = join(folder, 'config');
  writeFileSync(file, config(port, folder));
  const printed: string[] = [];
  const child = spawn(program, args(file, folder), { stdio: ['ignore', 'ignore', 'pipe'] });
  child.stderr.setEncoding('utf8').on('data', (text: string) => printed.push(text));
  child.on('error', (error) => printed.push(`${error.message}: run .ci/cluster`));
  const orphaned = () => child.kill('SIGTERM');
  process.once('exit', orphaned);
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; !(await answers(url)); tries++) {
    if (child.exitCode !== null || tries > 100)
      throw new Error(`${name} does not serve ${gateways.length} gateways:\n${printed.join('')}`);
    await sleep(100);
  }
  return {
    name,
    url,
    async stop() {
      await ended(child);
      process.off('exit', orphaned);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );

const ended = (child: ChildProcess): Promise<unknown> =>
  new Promise((done) => {
    if (child.exitCode !== null) return void done(undefined);
    child.once('exit', done);
    child.kill('SIGTERM');
  });
