import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settings } from '@callsmith/config';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

/** The checked parts of a compose service. */
interface Service {
  readonly image: string;
  readonly deploy?: { readonly replicas: string };
  readonly profiles?: readonly string[];
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly environment?: Readonly<Record<string, string | null>>;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
}

const root = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const { services } = parse(read('docker/compose.yml')) as { services: Readonly<Record<string, Service>> };
const { gateway, balancer } = services as Record<'gateway' | 'balancer', Service>;

/** Set by the image. */
const OF_THE_IMAGE = ['PORT', 'HOST', 'DATA_DIR'];

it('docker/compose.yml passes every setting of the README on to the gateway, and no other', () => {
  const expected = settings.map(({ name }) => name).filter((name) => !OF_THE_IMAGE.includes(name));
  expect(Object.keys(gateway.environment ?? {}).toSorted()).toEqual(expected.toSorted());
});

it('docker/compose.yml runs two gateways that can only be reached through the load balancer', () => {
  expect(gateway.deploy?.replicas).toBe(`\${GATEWAYS:-2}`);
  expect(gateway.ports).toBeUndefined();
  expect(balancer.ports).toEqual([`\${PUBLISH:-127.0.0.1:4000}:4000`]);
  expect(gateway.environment?.TRUST_PROXY).toBe(`\${TRUST_PROXY:-1}`);
  expect(services.postgres?.ports ?? services.redis?.ports).toBeUndefined();
});

it('docker/compose.yml starts Prometheus and Grafana only with the profile metrics, and every file it mounts exists', () => {
  const byProfile = Object.entries(services).filter(([, { profiles }]) => profiles?.includes('metrics'));
  expect(byProfile.map(([name]) => name)).toEqual(['prometheus', 'grafana']);
  const mounted = Object.values(services)
    .flatMap(({ volumes = [] }) => volumes)
    .filter((volume) => volume.startsWith('./'))
    .map((volume) => volume.split(':')[0]!);
  expect(mounted).toContain('./grafana/dashboard.json');
  expect(mounted).toContain('./grafana/alerts.yml');
  expect(mounted.filter((file) => !existsSync(join(root, 'docker', file)))).toEqual([]);
  expect(Object.values(services).filter(({ image }) => image !== 'callsmith' && !/:v?\d/.test(image))).toEqual([]);
});

it('docker/haproxy.cfg takes a gateway out of rotation while it still serves', () => {
  const balancing = read('docker/haproxy.cfg');
  const [, interval, misses] = /check inter (\d+)s fall (\d+)/.exec(balancing) ?? [];
  const delay = Number(/:-(\d+)\}/.exec(gateway.environment?.DRAIN_DELAY_SECONDS ?? '')?.[1]);
  expect(delay).toBeGreaterThan(Number(interval) * Number(misses));
  expect(balancing).toContain('option httpchk GET /readyz');
});

it('security 31: the gateway runs without privileges on a read-only file system, from packages whose scripts never ran', () => {
  expect(gateway).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
  const image = read('docker/Dockerfile');
  expect(image).toMatch(/^USER 1000:1000$/m);
  expect(image).not.toMatch(/npm (?:ci|install|prune)(?!.*--ignore-scripts)/);
});

it('security 31: every action of the CI workflows is pinned by commit', () => {
  const folder = join(root, '.github/workflows');
  const used = readdirSync(folder).flatMap((file) => [
    ...readFileSync(join(folder, file), 'utf8').matchAll(/^\s*(?:- )?uses: (.*)$/gm),
  ]);
  expect(used.length).toBeGreaterThan(0);
  for (const [, action] of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d/);
});

it('npm start, callsmith serve, which the image runs, and the systemd unit give Node the same arguments', () => {
  const argumentsIn = (text: string) => /node ((?:--\S+ )+)\S*apps\/gateway\/dist\/main\.js/.exec(text)?.[1];
  const { scripts } = JSON.parse(read('package.json')) as { scripts: { start: string } };
  expect(argumentsIn(scripts.start)).toMatch(/^--/);
  expect(argumentsIn(read('scripts/callsmith').replace('"$root/', ''))).toBe(argumentsIn(scripts.start));
  expect(argumentsIn(read('deploy/systemd/callsmith.service'))).toBe(argumentsIn(scripts.start));
  expect(read('docker/Dockerfile')).toMatch(/^CMD \["callsmith", "serve"\]$/m);
});

it('the image has the bill of materials of what it was built from, and no development packages', () => {
  const image = read('docker/Dockerfile');
  expect(image).toContain('node tools/sbom.mjs >image/sbom.cdx.json');
  expect(image).toContain('npm pkg delete devDependencies');
});

it('CI runs with every Node.js that package.json allows, and on macOS', () => {
  const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
  const oldest = [...engines.node.matchAll(/(\d+)\.\d+\.0/g)].map(([, major]) => major!);
  const workflow = parse(read('.github/workflows/ci.yml')) as {
    jobs: { check: { strategy: { matrix: { node: string[]; include: { os: string }[] } } } };
  };
  const { node, include } = workflow.jobs.check.strategy.matrix;
  expect(node.map((version) => version.split('.')[0])).toEqual(oldest);
  expect(include.map(({ os }) => os)).toEqual([expect.stringMatching(/^macos-/)]);
});

it('security 31: the release is built in separate jobs, and its provenance is signed', () => {
  const { permissions, jobs } = parse(read('.github/workflows/release.yml')) as {
    permissions: object;
    jobs: Record<string, { permissions?: object; needs?: string; steps: { uses?: string }[] }>;
  };
  expect(permissions).toEqual({ contents: 'read' });
  expect(jobs.check?.permissions).toBeUndefined();
  expect([jobs.build?.needs, jobs.publish?.needs]).toEqual(['check', 'build']);
  expect(jobs.publish?.permissions).toMatchObject({ 'id-token': 'write', attestations: 'write' });
  const signed = jobs.publish?.steps.filter(({ uses }) => uses?.startsWith('actions/attest-build-provenance@'));
  expect(signed).toHaveLength(2);
});
