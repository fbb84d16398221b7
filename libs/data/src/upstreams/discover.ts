import type { UpstreamKind } from '@callsmith/turn';
import { ask, Unreachable } from './ask.ts';
import { contextOf, field, text } from './fields.ts';
import { looks } from './kinds.ts';

/** A model as an upstream tells of it. */
export interface DiscoveredModel {
  /** Its name there. */
  readonly name: string;
  readonly contextLength: number | undefined;
  /** It calls tools natively; undefined: not told. */
  readonly tools: boolean | undefined;
}

/** What a look at an upstream found. */
export interface Discovered {
  readonly kind: UpstreamKind;
  readonly engineVersion: string | undefined;
  readonly models: readonly DiscoveredModel[];
  readonly latencyMs: number;
}

export interface Place {
  /** Ends in /v1. */
  readonly baseUrl: string;
  readonly credential: string | undefined;
  /** Declared; undefined: to be found out. */
  readonly kind: UpstreamKind | undefined;
}

const TIMEOUT_MS = 5_000;
const MOST_MODELS = 1_000;

/** Asks an upstream what it is and which models it serves. Throws `Unreachable`. */
export async function discover(place: Place): Promise<Discovered> {
  const began = performance.now();
  const listed = await listModels(place);
  const latencyMs = Math.round(performance.now() - began);
  const look = await kindOf(place, listed);
  return { ...look, models: distinct(look.models).slice(0, MOST_MODELS), latencyMs };
}

/** A server may list a name twice; what it says first counts. */
function distinct(models: readonly DiscoveredModel[]): DiscoveredModel[] {
  const byName = new Map<string, DiscoveredModel>();
  for (const model of models) if (!byName.has(model.name)) byName.set(model.name, model);
  return [...byName.values()];
}

async function listModels(place: Place): Promise<Record<string, unknown>[]> {
  const { status, text: body } = await ask({ url: `${place.baseUrl}/models`, ...place, timeoutMs: TIMEOUT_MS });
  if (status === 401 || status === 403) {
    throw new Unreachable(
      place.credential ? `it rejected the API key (${status})` : `it requires an API key (${status})`,
    );
  }
  if (status !== 200) throw new Unreachable(`GET ${new URL(`${place.baseUrl}/models`).pathname} returned ${status}`);
  const data = field(parsed(body), 'data');
  if (!Array.isArray(data))
    throw new Unreachable('its response is not a list of models. Is this the URL of an OpenAI-compatible API?');
  return data.filter((model): model is Record<string, unknown> => nameOf(model) !== undefined);
}

async function kindOf(place: Place, listed: Record<string, unknown>[]): Promise<Omit<Discovered, 'latencyMs'>> {
  const models = listed.map((model) => ({
    name: nameOf(model) ?? '',
    contextLength: contextOf(model),
    tools: undefined,
  }));
  const owner = text(field(listed[0], 'owned_by'));
  const likely = looks.filter(({ kind, owners }) =>
    place.kind ? kind === place.kind : owner !== undefined && owners.includes(owner),
  );
  const others = place.kind ? [] : looks.filter((look) => !likely.includes(look));
  const root = place.baseUrl.replace(/\/v1$/, '');
  for (const group of [likely, others]) {
    const found = await Promise.all(
      group.map((look) => look.find({ root, credential: place.credential, models }).catch(() => undefined)),
    );
    const at = found.findIndex((result) => result !== undefined);
    const [look, result] = [group[at], found[at]];
    if (look && result)
      return { kind: look.kind, engineVersion: result.engineVersion, models: result.models ?? models };
  }
  // An engine that names itself as the owner but answers nothing of its own, e.g. behind a proxy.
  return { kind: place.kind ?? likely[0]?.kind ?? 'openai', engineVersion: undefined, models };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function nameOf(model: unknown): string | undefined {
  const name = text(field(model, 'id'));
  return name !== undefined && name.length > 0 && name.length <= 500 && !/[\u0000-\u001f\u007f]/.test(name)
    ? name
    : undefined;
}
