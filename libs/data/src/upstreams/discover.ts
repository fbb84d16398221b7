import { otherBaseUrl, urlUnder } from '@callsmith/contracts';
import type { UpstreamKind } from '@callsmith/turn';
import { storable } from '../record/storable.ts';
import type { Addressing } from './addressing.ts';
import type { DiscoveredModel } from './discovered-model.ts';
import { contextOf, memberOf, text } from './fields.ts';
import { engineSignatures } from './kinds.ts';
import type { OutgoingProxies } from './outgoing-proxy.ts';
import { requestUpstream, Unreachable } from './request-upstream.ts';

/** The result of checking an upstream. */
export interface Discovered {
  readonly kind: UpstreamKind;
  /** The base URL at which its models were found: the given one, or the one that was meant. */
  readonly baseUrl: string;
  readonly engineVersion: string | undefined;
  readonly models: readonly DiscoveredModel[];
  readonly latencyMs: number;
}

/** An upstream to check. */
export interface DiscoveryTarget extends Addressing {
  readonly proxies?: OutgoingProxies | undefined;
  /** Declared; undefined: to be detected. */
  readonly kind: UpstreamKind | undefined;
}

const TIMEOUT_MS = 5_000;
const MOST_MODELS = 1_000;

/** Detects an upstream's engine and its models. Throws `Unreachable`. */
export async function discover(place: DiscoveryTarget): Promise<Discovered> {
  const began = performance.now();
  const { listed, baseUrl } = await findModels(place);
  const latencyMs = Math.round(performance.now() - began);
  const look = await kindOf({ ...place, baseUrl }, listed);
  return { ...look, baseUrl, models: distinct(look.models).slice(0, MOST_MODELS), latencyMs };
}

/** A server may list a name twice; the first entry counts. */
function distinct(models: readonly DiscoveredModel[]): DiscoveredModel[] {
  const byName = new Map<string, DiscoveredModel>();
  for (const model of models) if (!byName.has(model.name)) byName.set(model.name, model);
  return [...byName.values()];
}

/** Throws the error at the given base URL. */
async function findModels(place: DiscoveryTarget) {
  try {
    return { listed: await listModels(place), baseUrl: place.baseUrl };
  } catch (problem) {
    const baseUrl = problem instanceof NoModels ? otherBaseUrl(place.baseUrl) : undefined;
    if (baseUrl === undefined) throw problem;
    const listed = await listModels({ ...place, baseUrl }).catch(() => undefined);
    if (listed === undefined) throw problem;
    return { listed, baseUrl };
  }
}

/** It answers, but has no list of models there. */
class NoModels extends Unreachable {}

async function listModels(place: DiscoveryTarget): Promise<Record<string, unknown>[]> {
  const { status, text: body } = await requestUpstream({
    addressing: place,
    proxies: place.proxies,
    path: '/models',
    timeoutMs: TIMEOUT_MS,
  });
  if (status === 401 || status === 403) {
    throw new Unreachable(
      place.credential ? `it rejected the API key (${status})` : `it requires an API key (${status})`,
    );
  }
  const { pathname } = new URL(urlUnder(place.baseUrl, '/models'));
  if (status !== 200)
    throw new (status === 404 || status === 405 ? NoModels : Unreachable)(`GET ${pathname} returned ${status}`);
  const data = memberOf(parsed(body), 'data');
  if (!Array.isArray(data))
    throw new NoModels('its response is not a list of models. Is this the URL of an OpenAI-compatible API?');
  return data.filter((model): model is Record<string, unknown> => nameOf(model) !== undefined);
}

async function kindOf(
  place: DiscoveryTarget,
  listed: Record<string, unknown>[],
): Promise<Omit<Discovered, 'latencyMs' | 'baseUrl'>> {
  const models = listed.map((model) => ({
    name: nameOf(model) ?? '',
    contextLength: contextOf(model),
    tools: undefined,
  }));
  const owner = text(memberOf(listed[0], 'owned_by'));
  const likely = engineSignatures.filter(({ kind, owners }) =>
    place.kind ? kind === place.kind : owner !== undefined && owners.includes(owner),
  );
  const others = place.kind ? [] : engineSignatures.filter((look) => !likely.includes(look));
  for (const group of [likely, others]) {
    const found = await Promise.all(
      group.map((look) => look.find({ addressing: place, proxies: place.proxies, models }).catch(() => undefined)),
    );
    const at = found.findIndex((result) => result !== undefined);
    const [look, result] = [group[at], found[at]];
    if (look && result)
      return {
        kind: look.kind,
        engineVersion: result.engineVersion && storable(result.engineVersion),
        models: result.models ?? models,
      };
  }
  // An engine that names itself as the owner but has none of its own routes, e.g. behind a proxy.
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
  const name = text(memberOf(model, 'id'));
  return name !== undefined && name.length > 0 && name.length <= 500 && !/[\u0000-\u001f\u007f]/.test(name)
    ? name
    : undefined;
}
