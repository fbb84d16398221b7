import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { endOf, overheadMs, type RequestRecord } from '../record/request-record.ts';
import { withDiscarded } from '../record/response-summary.ts';
import type { ObserverFactory } from './observer.ts';
import { callRecords, outcomeOf } from './outcome.ts';

/** The product's metrics in Prometheus' format. Labels come from closed sets: never from a request's text. */
export class Metrics {
  readonly registry = new Registry();
  private readonly malformed = new Counter({
    name: 'manager_tool_calls_malformed_total',
    help: 'Tool-call findings that are not clean, by stage and class.',
    labelNames: ['stage', 'reason'],
    registers: [this.registry],
  });
  private readonly fallback = new Counter({
    name: 'manager_tool_calls_fallback_total',
    help: 'Actions taken on tool-call findings, by stage.',
    labelNames: ['stage', 'action'],
    registers: [this.registry],
  });
  private readonly turns = new Counter({
    name: 'callsmith_turns_total',
    help: 'Requests to inference routes.',
    labelNames: ['model', 'strategy', 'client', 'outcome'],
    registers: [this.registry],
  });
  private readonly findings = new Counter({
    name: 'callsmith_findings_total',
    help: 'Findings by model and class.',
    labelNames: ['model', 'class'],
    registers: [this.registry],
  });
  private readonly repairs = new Counter({
    name: 'callsmith_repairs_total',
    help: 'Applications of repair rules.',
    labelNames: ['model', 'rule'],
    registers: [this.registry],
  });
  private readonly corrections = new Counter({
    name: 'callsmith_corrections_total',
    help: 'Corrections (retries of unusable answers) by class, and whether one of them was usable.',
    labelNames: ['model', 'class', 'result'],
    registers: [this.registry],
  });
  private readonly correctionTokens = new Counter({
    name: 'callsmith_correction_tokens_total',
    help: 'Tokens of tries whose answer was not delivered.',
    labelNames: ['model'],
    registers: [this.registry],
  });
  private readonly added = new Histogram({
    name: 'callsmith_added_seconds',
    help: 'Time that Callsmith adds: request in to upstream request out, plus first upstream event in to first bytes out.',
    buckets: [0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1],
    registers: [this.registry],
  });
  private readonly firstToken = new Histogram({
    name: 'callsmith_first_token_seconds',
    help: 'Time from request in to the first text, reasoning or tool call out.',
    labelNames: ['model', 'upstream'],
    buckets: [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 300],
    registers: [this.registry],
  });

  private readonly duration = new Histogram({
    name: 'callsmith_request_seconds',
    help: 'Time from request in to the end of its response.',
    labelNames: ['model', 'upstream'],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000],
    registers: [this.registry],
  });
  private readonly tokens = new Counter({
    name: 'callsmith_tokens_total',
    help: 'Tokens of all tries of requests. `kind`: `input` (cached ones included), `cached_input`, `output`.',
    labelNames: ['model', 'upstream', 'kind'],
    registers: [this.registry],
  });
  private readonly attempts = new Counter({
    name: 'callsmith_upstream_attempts_total',
    help: 'Requests to model servers, by purpose (`attempt`, `correction`, `delegation`) and result (`ok`, `unusable`, `failed`).',
    labelNames: ['upstream', 'purpose', 'result'],
    registers: [this.registry],
  });

  private readonly toolCalls = new Counter({
    name: 'callsmith_mcp_calls_total',
    help: "Calls of MCP servers' tools, by clients and in agent mode, by outcome.",
    labelNames: ['server', 'tool', 'outcome'],
    registers: [this.registry],
  });
  private readonly toolSeconds = new Histogram({
    name: 'callsmith_mcp_call_seconds',
    help: "Duration of calls of MCP servers' tools.",
    labelNames: ['server', 'tool'],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
    registers: [this.registry],
  });

  /** Counts a call of an MCP server's tool: a known one, never a name from a request. */
  countToolCall({
    server,
    tool,
    outcome,
    tookMs,
  }: {
    readonly server: string;
    readonly tool: string;
    readonly outcome: string;
    readonly tookMs: number;
  }): void {
    this.toolCalls.inc({ server, tool, outcome });
    this.toolSeconds.observe({ server, tool }, tookMs / 1000);
  }

  /** A gauge whose value is read when the page is requested; `over`: how the values of several workers are combined. */
  gauge(name: `callsmith_${string}`, help: string, read: () => number, over: 'sum' | 'max' = 'sum'): void {
    new Gauge({
      name,
      help,
      aggregator: over,
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }

  /** A gauge with labels; `read` returns all series when the page is requested. */
  gauges<Label extends string>(
    name: `callsmith_${string}`,
    help: string,
    labelNames: readonly Label[],
    read: () => readonly (readonly [labels: Record<Label, string>, value: number])[],
  ): void {
    new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      aggregator: 'max',
      registers: [this.registry],
      collect() {
        this.reset();
        for (const [labels, value] of read()) this.set(labels, value);
      },
    });
  }

  readonly observerFactory: ObserverFactory = (record) => ({ done: () => this.count(record) });

  private count(record: RequestRecord): void {
    const { request, attempts, response } = record;
    const model = request.model?.name ?? 'unknown';
    this.turns.inc({
      model,
      strategy: attempts.strategyUsed ?? 'none',
      client: request.client,
      outcome: outcomeLabel(record),
    });
    for (const note of response.notes) {
      if (note.class) {
        this.malformed.inc({ stage: note.stage, reason: note.class });
        this.findings.inc({ model, class: note.class });
      }
      if (note.action) this.fallback.inc({ stage: note.stage, action: note.action });
      if (note.rule) this.repairs.inc({ model, rule: note.rule });
    }
    if (attempts.tries.length > 0) {
      const result = response.corrected ? 'mended' : 'failed';
      for (const found of attempts.tries[0]?.classes ?? []) this.corrections.inc({ model, class: found, result });
      this.correctionTokens.inc({ model }, response.discarded.inputTokens + response.discarded.outputTokens);
    }
    const added = overheadMs(record);
    if (added !== undefined) this.added.observe(added / 1000);
    const place = { model, upstream: attempts.route?.upstream.name ?? 'none' };
    this.duration.observe(place, (endOf(response) - request.arrivedAt) / 1000);
    if (response.firstTokenAt !== undefined)
      this.firstToken.observe(place, (response.firstTokenAt - request.arrivedAt) / 1000);
    const { usage, discarded } = response;
    const { inputTokens, outputTokens, cachedTokens } = withDiscarded(usage ?? noTokens, discarded);
    for (const [kind, count] of [
      ['input', inputTokens],
      ['cached_input', cachedTokens ?? 0],
      ['output', outputTokens],
    ] as const)
      if (count > 0) this.tokens.inc({ model, upstream: place.upstream, kind }, count);
    for (const { route, purpose, failure, unusable } of attempts.requests) {
      const result = failure !== undefined ? 'failed' : unusable ? 'unusable' : 'ok';
      this.attempts.inc({ upstream: route.upstream.name, purpose, result });
    }
  }
}

const noTokens = { inputTokens: 0, outputTokens: 0 };

function outcomeLabel({ request, response }: RequestRecord): string {
  const failed = response.fault !== undefined;
  const outcome = outcomeOf(callRecords(response), response.notes, request.turn?.tools.size ?? 0, failed);
  return outcome ?? (failed ? 'error' : 'no_tools');
}
