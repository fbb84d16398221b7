import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settings } from '@callsmith/config';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

const root = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

const fallback = (name: string) => Number(settings.find((setting) => setting.name === name)?.fallback);

/** The checked parts of Kubernetes objects. */
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: {
    readonly strategy: unknown;
    readonly template: {
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly securityContext: unknown;
        readonly containers: readonly { readonly securityContext: unknown }[];
      };
    };
  };
}

describe('deploy/helm/callsmith', () => {
  const folder = 'deploy/helm/callsmith';
  const values = parse(read(`${folder}/values.yaml`)) as Record<string, Record<string, unknown>>;

  it('has the version of the application', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(parse(read(`${folder}/Chart.yaml`))).toMatchObject({ version, appVersion: version });
  });

  it('has each of its values in its schema, which allows no other', () => {
    const schema = JSON.parse(read(`${folder}/values.schema.json`)) as {
      additionalProperties: boolean;
      properties: Record<string, { properties?: object; additionalProperties?: unknown }>;
    };
    expect(schema.additionalProperties).toBe(false);
    expect(Object.keys(schema.properties).filter((name) => name !== 'global')).toEqual(Object.keys(values));
    for (const [name, { properties, additionalProperties }] of Object.entries(schema.properties))
      if (additionalProperties === false) expect(Object.keys(properties ?? {})).toEqual(Object.keys(values[name]!));
  });

  it('uses every value, and names only existing settings', () => {
    const templates = readdirSync(join(root, folder, 'templates'))
      .map((file) => read(`${folder}/templates/${file}`))
      .join('\n');
    expect(Object.keys(values).filter((name) => !templates.includes(`.Values.${name}`))).toEqual([]);
    const known = new Set(settings.map(({ name }) => name));
    const named = [
      ...Object.keys(values.settings!),
      ...[...templates.matchAll(/\.Values\.settings\.(\w+)|name: ([A-Z][A-Z_]+),|key: ([A-Z_]+)/g)].map(
        ([, first, second, third]) => first ?? second ?? third!,
      ),
    ];
    expect(named).toContain('METRICS_TOKEN');
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });

  describe('rendered with every part', () => {
    const text = read('deploy/helm/rendered.yaml');
    const manifests = parseAllDocuments(text).map((document) => document.toJSON() as Manifest);
    const of = (kind: string) => manifests.find((manifest) => manifest.kind === kind)!;

    it('has a migration before each version, a disruption budget, autoscaling on streams, and network policies', () => {
      expect(of('Job').metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' });
      expect(of('PodDisruptionBudget').spec).toMatchObject({ maxUnavailable: 1 });
      expect(JSON.stringify(of('HorizontalPodAutoscaler').spec)).toContain('"callsmith_streams"');
      expect(read('apps/gateway/src/proxy/state-gauges.ts')).toContain("'callsmith_streams'");
      expect(of('NetworkPolicy').spec).toMatchObject({ policyTypes: ['Ingress', 'Egress'] });
      expect(JSON.stringify(of('ServiceMonitor').spec)).toContain('"METRICS_TOKEN"');
      expect(of('Secret')).toBeUndefined();
    });

    it.each(['Deployment', 'Job'])(
      'security 31: the pods of the %s run without privileges on a read-only root',
      (kind) => {
        const { spec } = of(kind).spec.template;
        expect(spec).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
        expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
        for (const { securityContext } of spec.containers)
          expect(securityContext).toEqual({
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          });
      },
    );

    it('waits longer for a gateway to end than its requests may take, and starts the next one before', () => {
      const { template, strategy } = of('Deployment').spec;
      expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(fallback('DRAIN_SECONDS'));
      expect(strategy).toEqual({ rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } });
      const [gateway] = template.spec.containers;
      expect(gateway).toMatchObject({
        readinessProbe: { httpGet: { path: '/readyz' } },
        livenessProbe: { httpGet: { path: '/healthz' } },
        startupProbe: { httpGet: { path: '/healthz' } },
      });
    });
  });
});
