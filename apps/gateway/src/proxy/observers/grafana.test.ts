import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { adminKey, startTestGateway, type TestGateway } from '../../admin/test-gateway.ts';
import { Metrics } from './metrics.ts';

interface Target {
  readonly refId: string;
  readonly expr: string;
  readonly legendFormat: string;
}

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets: readonly Target[];
  readonly fieldConfig: object;
}

interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly schemaVersion: number;
  readonly panels: readonly Panel[];
  readonly annotations: {
    readonly list: readonly { readonly name: string; readonly expr?: string; readonly titleFormat?: string }[];
  };
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
}

const read = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../../../../docker/grafana/${name}`, import.meta.url)), 'utf8');
const dashboard = JSON.parse(read('dashboard.json')) as Dashboard;
interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity?: string };
  readonly annotations: Readonly<Record<'summary' | 'description' | 'runbook_url', string>>;
}

const rules = (parse(read('alerts.yml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(({ rules }) => rules);
const promtool = process.env.PROMTOOL ?? 'promtool';
const hasPromtool = spawnSync(promtool, ['--version']).status === 0;

let gateway: TestGateway;
/** Types by name, as `/metrics` tells them. */
let exported: Map<string, string>;
/** Labels of a metric. */
let labelsOf: (name: string) => readonly string[];

beforeAll(async () => {
  gateway = await startTestGateway();
  const { body } = await gateway.send('GET', '/metrics', { headers: { 'x-admin-key': adminKey } });
  exported = new Map([...String(body).matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name!, type!]));
  const { registry } = gateway.app.get(Metrics, { strict: false });
  labelsOf = (name) => (registry.getSingleMetric(name) as unknown as { labelNames?: string[] })?.labelNames ?? [];
});
afterAll(() => gateway.stop());

/** The metrics that a query names, with every label it asks of each or puts together by. */
function metricsIn(query: string): { name: string; labels: string[] }[] {
  const grouped = [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list]) =>
    list!.split(',').map((one) => one.trim()),
  );
  return [...query.matchAll(/\b((?:callsmith|manager|process|nodejs)_[a-z0-9_]+)(?:\{([^}]*)\})?/g)].map(
    ([, name, matchers = '']) => ({
      name: name!,
      labels: [...[...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label!), ...grouped],
    }),
  );
}

/** What is wrong with a query; empty: nothing. */
function problems(query: string): string[] {
  const metrics = metricsIn(query);
  if (metrics.length === 0) return [`no metric in ${query}`];
  return metrics.flatMap(({ name, labels }) => {
    const [, base = name, part] = /^(\w+)_(bucket|count|sum)$/.exec(name) ?? [];
    if (exported.get(base) === undefined) return [`${name} is not exported`];
    if ((part !== undefined) !== (exported.get(base) === 'histogram')) return [`${name} is no ${exported.get(base)}`];
    const known = [...labelsOf(base), ...(part === undefined ? [] : ['le'])];
    return labels.filter((label) => label !== '' && !known.includes(label)).map((label) => `${name} has no ${label}`);
  });
}

describe('docker/grafana/dashboard.json', () => {
  it('queries metrics and labels that /metrics has', () => {
    const queries = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    expect(queries.length).toBeGreaterThan(15);
    expect(queries.flatMap(problems)).toEqual([]);
    const variables = dashboard.templating.list.flatMap(({ definition }) => definition ?? []);
    expect(variables).toHaveLength(3);
    for (const definition of variables) {
      const [, name, label] = /^label_values\((\w+), (\w+)\)$/.exec(definition) ?? [];
      expect(labelsOf(name ?? '')).toContain(label);
    }
  });

  it('names in its legends only labels that its queries keep', () => {
    for (const { expr, legendFormat } of dashboard.panels.flatMap(({ targets }) => targets))
      for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
        expect(expr).toMatch(new RegExp(`by \\([^)]*\\b${label}\\b`));
  });

  it('shows gateway overhead as a heat map, the burn rate of budgets, and strategy changes', () => {
    const queryOf = (type: string) => dashboard.panels.find((panel) => panel.type === type)?.targets[0];
    expect(queryOf('heatmap')).toMatchObject({ format: 'heatmap', expr: expect.stringContaining('by (le)') });
    expect(JSON.stringify(dashboard.panels)).toContain('callsmith_budget_used_share');
    const asking = dashboard.annotations.list.filter(({ expr }) => expr !== undefined);
    expect(asking.map(({ name }) => name)).toEqual(['Strategy changes']);
    expect(asking.flatMap(({ expr }) => problems(expr ?? ''))).toEqual([]);
  });

  it('/metrics has process metrics, the build, and which upstream is open', () => {
    const names = ['callsmith_build_info', 'callsmith_upstream_open', 'process_cpu_seconds_total'];
    expect([...names, 'nodejs_eventloop_lag_p99_seconds'].filter((name) => !exported.has(name))).toEqual([]);
  });

  it('docs/telemetry.md names every metric of the gateway’s own', () => {
    const page = readFileSync(fileURLToPath(new URL('../../../../../docs/telemetry.md', import.meta.url)), 'utf8');
    const named = new Set([...page.matchAll(/^\| `((?:callsmith|manager)_\w+)` \|/gm)].map(([, name]) => name));
    const own = [...exported.keys()].filter((name) => /^(?:callsmith|manager)_/.test(name));
    expect([...named].toSorted()).toEqual(own.toSorted());
  });

  it('uses only variables that it defines', () => {
    const names = [...dashboard.templating.list.map(({ name }) => name), '__rate_interval', '__range'];
    const used = [...JSON.stringify([dashboard.panels, dashboard.annotations]).matchAll(/\$\{?(\w+)/g)].map(
      ([, name]) => name,
    );
    expect([...new Set(used)].filter((name) => !names.includes(name ?? ''))).toEqual([]);
  });

  it('has the fields that Grafana requires of a dashboard, and panels that do not overlap', () => {
    expect(dashboard).toMatchObject({
      uid: expect.stringMatching(/^[\w-]{1,40}$/),
      title: expect.stringMatching(/./),
      schemaVersion: expect.any(Number),
      time: { from: expect.any(String), to: expect.any(String) },
      annotations: { list: expect.any(Array) },
    });
    expect(dashboard.schemaVersion).toBeGreaterThanOrEqual(36);
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    const cells = new Set<string>();
    for (const { gridPos, targets, type, title, fieldConfig } of dashboard.panels) {
      expect(['timeseries', 'stat', 'bargauge', 'heatmap']).toContain(type);
      expect(title).not.toBe('');
      expect(fieldConfig).toMatchObject({ defaults: { unit: expect.any(String) }, overrides: [] });
      expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(cells.has(`${x},${y}`)).toBe(false);
          cells.add(`${x},${y}`);
        }
    }
  });
});

describe('docker/grafana/alerts.yml', () => {
  it('has rules that query existing metrics, each with a severity, what to do, and its section of the runbook', () => {
    const runbook = readFileSync(fileURLToPath(new URL('../../../../../docs/runbook.md', import.meta.url)), 'utf8');
    const sections = [...runbook.matchAll(/^## (.*)$/gm)].map(([, title]) => title);
    expect(rules.length).toBeGreaterThanOrEqual(5);
    for (const { alert, expr, labels, annotations } of rules) {
      expect(problems(expr)).toEqual([]);
      expect(alert).toMatch(/^Callsmith\w+$/);
      expect(labels.severity).toMatch(/^(?:warning|critical)$/);
      for (const name of ['summary', 'description'] as const) expect(annotations[name]).toMatch(/./);
      expect(annotations.runbook_url).toBe(`docs/runbook.md#${alert.toLowerCase()}`);
    }
    expect(sections).toEqual(rules.map(({ alert }) => alert));
    expect(new Set(sections).size).toBe(rules.length);
  });

  it('fires each rule in one test, and keeps it silent in others', () => {
    const { tests } = parse(read('alerts.test.yml')) as {
      tests: { alert_rule_test: { alertname: string; exp_alerts?: object[] }[] }[];
    };
    const fired = tests.flatMap(({ alert_rule_test: cases }) => cases).filter((one) => one.exp_alerts?.length);
    expect(fired.map(({ alertname }) => alertname).toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
  });

  it.skipIf(!hasPromtool)(
    'passes the tests of its rules with promtool (needs promtool, or its path in PROMTOOL)',
    () => {
      const folder = fileURLToPath(new URL('../../../../../docker/grafana/', import.meta.url));
      for (const args of [
        ['check', 'rules', 'alerts.yml'],
        ['test', 'rules', 'alerts.test.yml'],
      ]) {
        const { status, stdout, stderr } = spawnSync(promtool, args, { cwd: folder, encoding: 'utf8' });
        expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, '']);
      }
    },
  );

  it('the check itself finds a wrong name, a wrong label and a counter used as a histogram', () => {
    expect(problems('sum(callsmith_turn_total)')).not.toEqual([]);
    expect(problems('sum(callsmith_turns_total{tool="x"})')).not.toEqual([]);
    expect(problems('sum by (rule) (callsmith_turns_total)')).not.toEqual([]);
    expect(problems('callsmith_turns_total_bucket')).not.toEqual([]);
    expect(problems('sum by (model) (callsmith_turns_total)')).toEqual([]);
  });
});
