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
import {
  type BriefTools,
  briefLine,
  briefToolsInSteps,
  type Dialect,
  decidingDialect,
  dialectNamed,
  prepareTurnInSteps,
  shortTools,
  type UnusableAnswer,
} from '@callsmith/toolcall';
import {
  type BaseStrategy,
  copyMembers,
  type Finding,
  type JsonObject,
  type StrategyUsed,
  type Turn,
  type TurnEvent,
  type UpstreamEvent,
  writeExact,
} from '@callsmith/turn';
import type { CompletionJob } from './completion-job.ts';
import { type Constrained, nativeConstraint, textConstraint } from './constrain.ts';
import { type ParseResponseOptions, parseResponse } from './parse-response.ts';
import { refuseFiles } from './refuse-files.ts';
import { leftOut, retreatTurn } from './retreat-turn.ts';
import { targetOf } from './target-of.ts';
import { withSystemText } from './with-system-text.ts';
import { withinCapabilities } from './within-capabilities.ts';

/** Where and how a turn is sent. */
export interface RequestPlan {
  readonly route: Route;
  /** How the tools are sent. */
  readonly strategyUsed: BaseStrategy;
  readonly api: OutboundName;
  /** Parameters refused in this request, beside those the snapshot knows. */
  readonly refused: readonly string[];
  /** The forms that it is sent in. */
  readonly retreats: readonly Retreat[];
  /** The tools in the prompt have short descriptions: with their own it does not fit (E-4). */
  readonly shortTools?: true;
}

/** A turn as it goes upstream, and how its answer is read. */
export interface PreparedRequest {
  readonly adapter: OutboundAdapter;
  readonly target: Target;
  /** Appended to the base URL. */
  readonly path: string;
  /** The path is relative to the server's root, not to its base path. */
  readonly atRoot: boolean;
  readonly body: JsonObject;
  /** The body as it goes out. */
  readonly json: string;
  /** With the tools in its prompt, where the strategy puts them there. */
  readonly turn: Turn;
  /** What ran, for the record. */
  readonly strategyUsed: StrategyUsed;
  /** How the engine is held to calls; undefined: it is not. */
  readonly constrained: Constrained | undefined;
  /** The dialect's name, for the transcript. */
  readonly dialect: string;
  /** Tokens that the tools in the prompt cost, estimated. */
  readonly toolPromptTokens: number | undefined;
  /** What was repaired in the history. */
  readonly notes: readonly Finding[];
  /** Parameters that are left out. */
  readonly dropped: readonly string[];
  /** How the answer's frames go through, where the server is asked by the very API that they are of. */
  readonly passthrough: Passthrough | undefined;
  /** How the tools were sent. */
  readonly sentBy: BaseStrategy;
  /** The dialect in which the tools are taught, and in whose form past ids are. */
  readonly taught: Dialect;
  /** An answer of it without a usable call may be asked for again. */
  readonly correctable: boolean;
  /** Its model says which calls it wants, and another one writes them. */
  readonly decides: boolean;
  /** What the model says, to what is understood of it; as `parseResponse`'s `onUnusable`. */
  readonly parse: (onUnusable?: (answer: UnusableAnswer) => void) => Stage<UpstreamEvent, TurnEvent>;
}

/** What of a job says how its request is prepared. */
export type PreparedFrom = Pick<
  CompletionJob,
  'adapter' | 'turn' | 'model' | 'messagePath' | 'proxyRules' | 'passthrough' | 'bounds' | 'delegate'
>;

/** True if the model of a job only says which calls it wants, and another one writes them. */
export const onlyDecidesCalls = ({
  delegate,
  turn,
  proxyRules = false,
}: Pick<CompletionJob, 'delegate' | 'turn'> & { readonly proxyRules?: boolean }): boolean =>
  delegate !== undefined && !proxyRules && turn.n === 1 && turn.tools.size > 0 && turn.toolChoice !== 'none';

/**
 * Prepares a turn for an upstream, a model and a strategy, in steps: a long turn takes its time, and other requests have
 * their turn between them. Throws what is wrong with its history.
 */
export function* prepareRequest(from: PreparedFrom, plan: RequestPlan): Generator<undefined, PreparedRequest> {
  const { model, messagePath, passthrough } = from;
  const { route, strategyUsed, api, refused } = plan;
  const target = targetOf(route, refused, model);
  const adapter = outboundAdapters[api];
  refuseFiles(from.turn, { target, adapter }, messagePath);
  const shaped = yield* shapeTurn(from, plan, target);
  const { turn, constrained, dialects } = shaped;
  const request = adapter.request(turn, target);
  const body = constrained ? withMembers(constrained, adapter, request.body) : request.body;
  return {
    adapter,
    target,
    path: request.path,
    atRoot: request.atRoot === true,
    body,
    json: jsonOf(turn, body),
    turn,
    strategyUsed: constrained ? 'strict' : strategyUsed,
    constrained,
    dialect: strategyUsed === 'prompt' ? dialects.own.name : model.dialect.value,
    toolPromptTokens:
      strategyUsed === 'prompt' && from.turn.tools.size > 0 ? promptTokensAdded(from.turn, turn) : undefined,
    notes: shaped.notes,
    dropped: [...new Set([...shaped.dropped, ...request.dropped])],
    passthrough: passthrough?.outbound === api ? passthrough : undefined,
    sentBy: strategyUsed,
    taught: dialects.taught,
    decides: dialects.decides,
    correctable: isCorrectable(from, strategyUsed, dialects),
    parse: (onUnusable) =>
      parseResponse({
        ...parsingOf(from, plan, dialects),
        ...(shaped.brief && { unshown: shaped.brief }),
        ...(onUnusable && { onUnusable }),
      }),
  };
}

/** The dialects of one request. */
interface RequestDialects {
  /** The dialect of calls in text: that of the constraint, or the one in which the tool prompt is written. */
  readonly own: Dialect;
  /** In which the tools are taught: `own`, or the one in which a model only decides. */
  readonly taught: Dialect;
  /** The model only says which calls it wants. */
  readonly decides: boolean;
}

/** A turn in the form in which it is sent. */
interface ShapedTurn {
  readonly turn: Turn;
  readonly constrained: Constrained | undefined;
  readonly dialects: RequestDialects;
  readonly notes: readonly Finding[];
  readonly dropped: readonly string[];
  /** Names of the tools whose schemas the model is not shown; undefined: it is shown all. */
  readonly brief: ReadonlySet<string> | undefined;
}

/** What the model can take, the tools where the strategy puts them, what is refused left out, and the engine held to calls. */
function* shapeTurn(from: PreparedFrom, plan: RequestPlan, target: Target): Generator<undefined, ShapedTurn> {
  const { adapter: inbound, turn, model, messagePath } = from;
  const { route, strategyUsed, retreats } = plan;
  const prompts = strategyUsed === 'prompt';
  const fitted = withinCapabilities(turn, model.capabilities ?? {});
  const onlyDecides = prompts && onlyDecidesCalls(from);
  const brief = onlyDecides ? undefined : yield* briefToolsOf(from, plan, fitted.turn);
  const offered = brief ? { ...fitted.turn, tools: brief.tools } : fitted.turn;
  const asked = plan.shortTools ? { ...offered, tools: shortTools(offered.tools) } : offered;
  // The engine is held to the schemas, whether or not the model is shown them.
  const inText = prompts && !onlyDecides ? constrainedText(fitted.turn, model, plan, target) : undefined;
  const own = inText?.dialect ?? promptDialect(model);
  const dialects = { own, taught: onlyDecides ? decidingDialect(own) : own, decides: onlyDecides };
  const shaped = yield* prepareTurnInSteps(asked, strategyUsed, dialects.taught, {
    strictHistory: model.strictHistory.value,
    messagePath,
    callIdName: inbound.callIdName,
    prompt: promptOptions(model),
  });
  const briefed = brief && !prompts ? withSystemText(shaped.turn, briefLine) : shaped.turn;
  const added = prompts && model.promptAddition;
  const taken = added ? withSystemText(briefed, added.value) : briefed;
  const retreated = inForms(taken, accepts(target, 'tool_choice') ? retreats : [...retreats, 'no-tool-choice']);
  const native = !prompts && isHeld(model, plan) ? nativeConstraint(route, model, target, retreated) : undefined;
  return {
    turn: native?.turn ?? retreated,
    constrained: native?.constrained ?? inText,
    dialects,
    notes: brief ? [...shaped.notes, noteOf(brief)] : shaped.notes,
    brief: brief?.brief,
    dropped: [
      ...(turn.dropped ?? []),
      ...fitted.dropped,
      ...(plan.shortTools ? ['tools.description'] : []),
      ...(brief ? ['tools.parameters'] : []),
      ...shaped.dropped,
      ...leftOut(taken, retreated),
    ],
  };
}

/** Contexts of at most so many tokens have a short tool prompt. */
const smallContext = 8192;

/** How a model is taught its tools beside its dialect. */
const promptOptions = ({ capabilities, contextLength, exampleCalls }: ModelEntry) => ({
  ...(capabilities?.parallel === false && { parallel: false }),
  ...(contextLength !== undefined && contextLength.value <= smallContext && { short: true }),
  ...(exampleCalls?.value === true && { examples: true }),
});

/** The tools that the model is shown in brief, where its setting says so and a call that does not fit is asked for again. */
function* briefToolsOf(
  { model, proxyRules = false }: PreparedFrom,
  plan: RequestPlan,
  turn: Turn,
): Generator<undefined, BriefTools | undefined> {
  const { briefToolsAbove: above, pinnedTools, maxCorrections } = model;
  const held = plan.strategyUsed === 'native' && isHeld(model, plan);
  if (above === undefined || maxCorrections.value === 0 || turn.n > 1 || proxyRules || held) return undefined;
  const pinned = (pinnedTools?.value ?? '').split(',').map((name) => name.trim());
  return yield* briefToolsInSteps(turn, { above: above.value, pinned });
}

/** About four characters are a token. */
const noteOf = ({ tools, brief, savedTokens: spared }: BriefTools): Finding => ({
  stage: 'request',
  detail: `${brief.size} of ${tools.size} tools shown in brief: about ${Math.round(spared / 4)} tokens less`,
});

/** True if an answer without a usable call may be asked for again. */
const isCorrectable = (
  { turn, proxyRules }: PreparedFrom,
  strategyUsed: BaseStrategy,
  dialects: RequestDialects,
): boolean =>
  !dialects.decides &&
  turn.n === 1 &&
  turn.tools.size > 0 &&
  turn.toolChoice !== 'none' &&
  !(proxyRules && strategyUsed === 'prompt');

/** How the answer is read. */
function parsingOf(
  { adapter: inbound, turn, model, proxyRules, bounds }: PreparedFrom,
  { route, strategyUsed }: RequestPlan,
  { own, taught, decides }: RequestDialects,
): ParseResponseOptions {
  return {
    // A call that is missing may be one that was decided on.
    turn: decides ? { ...turn, toolChoice: 'auto' } : turn,
    strategyUsed,
    // An answer that is held to be one call as JSON is read as that.
    dialect: own === promptDialect(model) ? model.dialect.value : own.name,
    dialectDeclared: model.dialect.source === 'declared',
    marksCalls: route.marksCalls,
    promptDialect: taught,
    holdBytes: inbound.wholeCalls ? null : model.holdBytes.value,
    streamed: turn.stream,
    proxyRules,
    reasoningPrefilled: model.reasoningPrefilled?.value ?? false,
    promoteReasoningCalls: model.promoteReasoningCalls.value,
    behindResult: turn.messages.at(-1)?.role === 'tool',
    nudgeAnnounced: model.nudgeAnnounced.value,
    ...(bounds && { bounds }),
  };
}

/** The same request for another turn, e.g. one with more messages. */
export function withTurn(prepared: PreparedRequest, turn: Turn): PreparedRequest {
  const request = prepared.adapter.request(turn, prepared.target);
  const { constrained } = prepared;
  const body = constrained ? withMembers(constrained, prepared.adapter, request.body) : request.body;
  return { ...prepared, path: request.path, body, json: jsonOf(turn, body), turn };
}

const withMembers = ({ members }: Constrained, { constraintMembers }: OutboundAdapter, body: JsonObject): JsonObject =>
  copyMembers(constraintMembers?.(members) ?? members, body);

const jsonOf = ({ exactNumbers }: Turn, body: JsonObject): string =>
  exactNumbers ? writeExact(body) : JSON.stringify(body);

/** True if the engine is to be held to calls where it can. */
const isHeld = ({ strategy }: Pick<ModelEntry, 'strategy'>, { retreats }: RequestPlan): boolean =>
  strategy.value === 'strict' && !retreats.includes('unconstrained');

/** How the engine is held to a turn's calls in text; undefined: it is not, or cannot be. */
export function constrainedText(
  turn: Turn,
  model: ModelEntry,
  plan: RequestPlan,
  target: Target = targetOf(plan.route, plan.refused, model),
): Constrained | undefined {
  const { route, api } = plan;
  if (api === 'openai-responses' || !isHeld(model, plan)) return undefined;
  return textConstraint(route, turn, { model, dialect: promptDialect(model), target });
}

/**
 * The same request with the engine constrained to one call of a tool, whatever the strategy, where it is known to apply that and
 * the tools are in the prompt; else the very same.
 */
export function constrainedToTool(
  name: string,
  prepared: PreparedRequest,
  { model, turn, route }: { readonly model: ModelEntry; readonly turn: Turn; readonly route: Route },
): PreparedRequest {
  const { adapter, sentBy, taught: dialect, target } = prepared;
  const fails = route.retreats.some((form) => form.startsWith('unconstrained'));
  if (adapter === outboundAdapters['openai-responses'] || sentBy !== 'prompt' || fails) return prepared;
  const constrained = textConstraint(route, turn, { model, dialect, target, only: name, proved: true });
  return constrained?.dialect === dialect
    ? withTurn({ ...prepared, constrained, strategyUsed: 'strict' }, prepared.turn)
    : prepared;
}

const reasoningMembers = ['reasoning_content', 'reasoning'] as const;

/** The names of the parameters that a request uses; `strict` is in its tools, `cache_control` in its parts, reasoning in its messages. */
export const parametersOf = ({ body, json, turn }: PreparedRequest): string[] => [
  ...Object.keys(body),
  ...(turn.tools.list.some(({ strict }) => strict !== undefined) ? ['strict'] : []),
  ...(json.includes('"cache_control":') ? ['cache_control'] : []),
  ...reasoningMembers.filter((name) => json.includes(`"${name}":`)).map((name) => `messages.${name}`),
];

/** The dialect of the tool prompt: the model's own, or the one that most models have seen. */
const promptDialect = (model: ModelEntry): Dialect => dialectNamed(model.dialect.value) ?? commonDialect;

const commonDialect = dialectNamed('hermes') as Dialect;

const inForms = (turn: Turn, retreats: readonly Retreat[]): Turn =>
  retreats.length === 0 ? turn : retreats.reduce(retreatTurn, turn);

/** About four characters are a token. */
function promptTokensAdded(before: Turn, after: Turn): number {
  const system = (turn: Turn): number => {
    const [first] = turn.messages;
    return first?.role === 'system' && typeof first.content === 'string' ? first.content.length : 0;
  };
  return Math.max(0, Math.round((system(after) - system(before)) / 4));
}
