import type { ModelEntry, Route } from '@callsmith/data/snapshot';
import {
  accepts,
  type OutboundAdapter,
  type OutboundName,
  outboundAdapters,
  type Passthrough,
  type Retreat,
  type Target,
} from '@callsmith/protocols';
import type { Stage } from '@callsmith/stream';
import { type Dialect, dialectNamed, prepareTurn, type UnusableAnswer } from '@callsmith/toolcall';
import {
  type JsonObject,
  type Note,
  type StrategyUsed,
  type Turn,
  type TurnEvent,
  type UpstreamEvent,
  writeExact,
} from '@callsmith/turn';
import type { CompletionJob } from './completion-job.ts';
import { parseResponse } from './parse-response.ts';
import { refuseFiles } from './refuse-files.ts';
import { inForm, leftOut } from './retreat-turn.ts';
import { targetOf } from './target-of.ts';
import { withSystemText } from './with-system-text.ts';
import { withinCapabilities } from './within-capabilities.ts';

/** Where and how a turn is sent. */
export interface RequestPlan {
  readonly route: Route;
  readonly strategyUsed: StrategyUsed;
  readonly api: OutboundName;
  /** Parameters refused in this request, beside those the snapshot knows. */
  readonly refused: readonly string[];
  /** The forms that it is sent in. */
  readonly retreats: readonly Retreat[];
}

/** A turn as it goes upstream, and how its answer is read. */
export interface PreparedRequest {
  readonly adapter: OutboundAdapter;
  readonly target: Target;
  /** Appended to the base URL. */
  readonly path: string;
  readonly body: JsonObject;
  /** The body as it goes out. */
  readonly json: string;
  /** With the tools in its prompt, where the strategy puts them there. */
  readonly turn: Turn;
  /** The dialect's name, for the transcript. */
  readonly dialect: string;
  /** Tokens that the tools in the prompt cost, estimated. */
  readonly toolPromptTokens: number | undefined;
  /** What was repaired in the history. */
  readonly notes: readonly Note[];
  /** Parameters that are left out. */
  readonly dropped: readonly string[];
  /** How the answer's frames go through, where the server is asked by the very API that they are of. */
  readonly passthrough: Passthrough | undefined;
  readonly strategyUsed: StrategyUsed;
  /** The dialect in which the tools are taught, and in whose form past ids are. */
  readonly taught: Dialect;
  /** An answer of it without a usable call may be asked for again. */
  readonly correctable: boolean;
  /** What the model says, to what is understood of it; as `parseResponse`'s `onUnusable`. */
  readonly parse: (onUnusable?: (answer: UnusableAnswer) => void) => Stage<UpstreamEvent, TurnEvent>;
}

/** What of a job says how its request is prepared. */
export type PreparedFrom = Pick<
  CompletionJob,
  'adapter' | 'turn' | 'model' | 'messagePath' | 'proxyRules' | 'passthrough' | 'bounds'
>;

/** Prepares a turn for an upstream, a model and a strategy. Throws what is wrong with its history. */
export function prepareRequest(
  { adapter: inbound, turn, model, messagePath, proxyRules, passthrough, bounds }: PreparedFrom,
  { route, strategyUsed, api, refused, retreats }: RequestPlan,
): PreparedRequest {
  const target = targetOf(route, refused);
  refuseFiles(turn, target, messagePath);
  const taught = promptDialect(model);
  const fitted = withinCapabilities(turn, model.capabilities ?? {});
  const shaped = prepareTurn(fitted.turn, strategyUsed, taught, {
    strictHistory: model.strictHistory.value,
    messagePath,
    callIdName: inbound.callIdName,
  });
  const prompts = strategyUsed === 'prompt';
  const added = prompts && model.promptAddition;
  const taken = added ? withSystemText(shaped.turn, added.value) : shaped.turn;
  const adapter = outboundAdapters[api];
  const told = inForms(taken, accepts(target, 'tool_choice') ? retreats : [...retreats, 'no-tool-choice']);
  const request = adapter.request(told, target);
  return {
    adapter,
    target,
    path: request.path,
    body: request.body,
    json: jsonOf(told, request.body),
    turn: told,
    dialect: prompts ? taught.name : model.dialect.value,
    toolPromptTokens: prompts && turn.tools.size > 0 ? promptTokensAdded(turn, told) : undefined,
    notes: shaped.notes,
    dropped: [
      ...new Set([
        ...(turn.dropped ?? []),
        ...fitted.dropped,
        ...shaped.dropped,
        ...leftOut(taken, told),
        ...request.dropped,
      ]),
    ],
    passthrough: passthrough?.outbound === api ? passthrough : undefined,
    strategyUsed,
    taught,
    correctable:
      turn.n === 1 && turn.tools.size > 0 && turn.toolChoice !== 'none' && !(proxyRules && strategyUsed === 'prompt'),
    parse: (onUnusable) =>
      parseResponse({
        turn,
        strategyUsed,
        dialect: model.dialect.value,
        dialectDeclared: model.dialect.source === 'declared',
        marksCalls: route.marksCalls,
        promptDialect: taught,
        holdBytes: inbound.wholeCalls ? null : model.holdBytes.value,
        streamed: turn.stream,
        proxyRules,
        reasoningPrefilled: model.reasoningPrefilled?.value ?? false,
        ...(bounds && { bounds }),
        ...(onUnusable && { onUnusable }),
      }),
  };
}

/** The same request for another turn, e.g. one with more messages. */
export function withTurn(prepared: PreparedRequest, turn: Turn): PreparedRequest {
  const { path, body } = prepared.adapter.request(turn, prepared.target);
  return { ...prepared, path, body, json: jsonOf(turn, body), turn };
}

const jsonOf = ({ exactNumbers }: Turn, body: JsonObject): string =>
  exactNumbers ? writeExact(body) : JSON.stringify(body);

/** What a request asked for, by name; `strict` stands in its tools, `cache_control` in its parts. */
export const parametersOf = ({ body, json, turn }: PreparedRequest): string[] => [
  ...Object.keys(body),
  ...(turn.tools.list.some(({ strict }) => strict !== undefined) ? ['strict'] : []),
  ...(json.includes('"cache_control":') ? ['cache_control'] : []),
];

/** The dialect in which a model is told of its tools: its own, or the one that most models have seen. */
const promptDialect = (model: ModelEntry): Dialect => dialectNamed(model.dialect.value) ?? commonDialect;

const commonDialect = dialectNamed('hermes') as Dialect;

const inForms = (turn: Turn, retreats: readonly Retreat[]): Turn =>
  retreats.length === 0 ? turn : retreats.reduce(inForm, turn);

/** About four characters are a token. */
function promptTokensAdded(before: Turn, after: Turn): number {
  const system = (turn: Turn): number => {
    const [first] = turn.messages;
    return first?.role === 'system' && typeof first.content === 'string' ? first.content.length : 0;
  };
  return Math.max(0, Math.round((system(after) - system(before)) / 4));
}
