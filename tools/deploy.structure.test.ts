import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settings } from '@callsmith/config';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const fallback = (name: string) => Number(settings.find((setting) => setting.name === name)?.fallback);

it.each([
  ['deploy/nginx.conf', /client_max_body_size (32)m;/, /proxy_read_timeout (\d+)s;/, 'proxy_buffering off;'],
  ['deploy/Caddyfile', /max_size (32)MiB/, /read_timeout (1)h/, 'flush_interval -1'],
])('%s accepts bodies of 32 MB, waits as long as a model may think, and passes streams on unbuffered', (...given) => {
  const [file, body, wait, unbuffered] = given;
  const text = read(file);
  expect(text).toMatch(body);
  const seconds = Number(wait.exec(text)?.[1]) * (file.endsWith('Caddyfile') ? 3600 : 1);
  expect(seconds).toBeGreaterThan(fallback('UPSTREAM_FIRST_BYTE_TIMEOUT_SECONDS'));
  expect(text).toContain(unbuffered);
});

it('deploy/haproxy.cfg waits as long as a model may think, and checks /readyz before DRAIN_DELAY_SECONDS is over', () => {
  const text = read('deploy/haproxy.cfg');
  expect(text).toMatch(/timeout client 1h\n {2}timeout server 1h\n/);
  expect(text).toContain('option httpchk GET /readyz');
  expect(text).toMatch(/check inter 1s fall 2/);
});

describe('deploy/systemd/callsmith.service', () => {
  const unit = read('deploy/systemd/callsmith.service');

  it('waits for running requests before it kills', () => {
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(fallback('DRAIN_SECONDS'));
    expect(unit).toMatch(/^KillMode=mixed$/m); // the gateway stops the embedded database
  });

  it('security 31: runs under its own account, without privileges, on a read-only system', () => {
    for (const line of ['User=callsmith', 'NoNewPrivileges=true', 'ProtectSystem=strict', 'CapabilityBoundingSet='])
      expect(unit.split('\n')).toContain(line);
  });
});
