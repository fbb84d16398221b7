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
} from '@callsmith/turn';
import type { CompletionJob } from './completion-job.ts';
import { type Constrained, nativeConstraint, textConstraint } from './constrain.ts';
import { type ParseResponseOptions, parseResponse } from './parse-response.ts';
import { refuseFiles } from './refuse-files.ts';
import { leftOut, retreatTurn } from './retreat-turn.ts';
import { targetOf } from './target-of.ts';
import { withSystemText } from './with-system-text.ts';
import { withinCapabilities } from './within-capabilities.ts';
import { writeBody, writeBodyInSteps } from './write-body.ts';

/** Where a turn is sent, and in which form. */
export interface RequestPlan {
  readonly route: Route;
  /** How the tools are sent. */
  readonly strategyUsed: BaseStrategy;
  readonly api: OutboundName;
  /** Parameters that the server refused earlier for the same client request, in addition to the route's known ones. */
  readonly refused: readonly string[];
  /** The retreats that are applied to the turn. */
  readonly retreats: readonly Retreat[];
  /** The descriptions of the tools in the prompt are shortened: with the full ones the prompt does not fit (E-4). */
  readonly shortTools?: true;
}

/** An upstream request that is ready to be sent, and how its response is parsed. */
export interface PreparedRequest {
  readonly adapter: OutboundAdapter;
  readonly target: Target;
  /** Appended to the base URL. */
  readonly path: string;
  /** The path is relative to the server's root, not to its base path. */
  readonly atRoot: boolean;
  readonly body: JsonObject;
  /** The body as JSON text, as it is sent. */
  readonly json: string;
  /** The turn as it is sent. With the strategy `prompt` its system message contains the tools. */
  readonly turn: Turn;
  /** The strategy in effect, for the record: `strict` if the engine is constrained. */
  readonly strategyUsed: StrategyUsed;
  /** How the engine is constrained to calls; undefined: it is not. */
  readonly constrained: Constrained | undefined;
  /** The dialect's name, for the transcript. */
  readonly dialect: string;
  /** Tokens that the tool prompt costs, estimated; undefined without a tool prompt. */
  readonly toolPromptTokens: number | undefined;
  /** What was repaired in the messages, and which tools are shown in brief. */
  readonly notes: readonly Finding[];
  /** Parameters that are left out. */
  readonly dropped: readonly string[];
  /** How the response's frames pass through; undefined unless client and server use the same API. */
  readonly passthrough: Passthrough | undefined;
  /** How the tools were sent. */
  readonly sentBy: BaseStrategy;
  /** The dialect of the tool prompt, whose form the ids of past calls have as well. */
  readonly promptDialect: Dialect;
  /** A response without a usable call may be corrected by another request (D-35). */
  readonly correctable: boolean;
  /** The model only says which calls it wants; another model writes them (H-9). */
  readonly delegatesCalls: boolean;
  /** Makes the stage that parses the response. `onUnusable` as in `ParseResponseOptions`. */
  readonly parse: (onUnusable?: (answer: UnusableAnswer) => void) => Stage<UpstreamEvent, TurnEvent>;
}

/** The members of a job that decide how its request is prepared. */
export type PreparedFrom = Pick<
  CompletionJob,
  'adapter' | 'turn' | 'model' | 'messagePath' | 'proxyRules' | 'passthrough' | 'bounds' | 'delegate'
>;

/** True if the model of a job only says which calls it wants and another model writes them (H-9). */
export const shouldDelegateCalls = ({
  delegate,
  turn,
  proxyRules = false,
}: Pick<CompletionJob, 'delegate' | 'turn'> & { readonly proxyRules?: boolean }): boolean =>
  delegate !== undefined && !proxyRules && turn.n === 1 && turn.tools.size > 0 && turn.toolChoice !== 'none';

/**
 * Prepares a turn for an upstream, a model and a strategy. Yields between steps, so that other requests run while a
 * long turn is prepared. Throws a `Fault` for files the server does not accept and for what is wrong with the messages.
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
  const json = yield* writeBodyInSteps(turn, body);
  return {
    adapter,
    target,
    path: request.path,
    atRoot: request.atRoot === true,
    body,
    json,
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
    promptDialect: dialects.prompt,
    delegatesCalls: dialects.delegatesCalls,
    correctable: isCorrectable(from, strategyUsed, dialects),
    parse: (onUnusable) => parseResponse(parsingOf(from, plan, shaped, onUnusable)),
  };
}

/** The dialects of one request. */
interface RequestDialects {
  /** The dialect of calls in text: that of the constraint, or the one in which the tool prompt is written. */
  readonly own: Dialect;
  /** The dialect of the tool prompt: `own`, or the one in which a model only says which calls it wants. */
  readonly prompt: Dialect;
  /** The model only says which calls it wants. */
  readonly delegatesCalls: boolean;
}

/** A turn in the form in which it is sent. */
interface ShapedTurn {
  readonly turn: Turn;
  readonly constrained: Constrained | undefined;
  readonly dialects: RequestDialects;
  readonly notes: readonly Finding[];
  readonly dropped: readonly string[];
  /** Names of the tools whose schemas are left out; undefined: none is. */
  readonly brief: ReadonlySet<string> | undefined;
}

/**
 * Shapes a turn for its plan: fits it to the model's capabilities, puts the tools where the strategy has them, applies
 * the retreats and constrains the engine. Throws `Fault`s for what is wrong with the messages.
 */
function* shapeTurn(from: PreparedFrom, plan: RequestPlan, target: Target): Generator<undefined, ShapedTurn> {
  const { adapter: inbound, turn, model, messagePath } = from;
  const { route, strategyUsed, retreats } = plan;
  const prompts = strategyUsed === 'prompt';
  const fitted = withinCapabilities(turn, model.capabilities ?? {});
  const delegatesCalls = prompts && shouldDelegateCalls(from);
  const brief = delegatesCalls ? undefined : yield* briefToolsOf(from, plan, fitted.turn);
  const offered = brief ? { ...fitted.turn, tools: brief.tools } : fitted.turn;
  const shortened = plan.shortTools ? { ...offered, tools: shortTools(offered.tools) } : offered;
  // The engine is constrained by the full schemas, also of tools that the model sees in brief.
  const inText = prompts && !delegatesCalls ? constrainedText(fitted.turn, model, plan, target) : undefined;
  const own = inText?.dialect ?? promptDialect(model);
  const dialects = { own, prompt: delegatesCalls ? decidingDialect(own) : own, delegatesCalls };
  const shaped = yield* prepareTurnInSteps(shortened, strategyUsed, dialects.prompt, {
    strictHistory: model.strictHistory.value,
    messagePath,
    callIdName: inbound.callIdName,
    prompt: promptOptions(model),
  });
  const briefed = brief && !prompts ? withSystemText(shaped.turn, briefLine) : shaped.turn;
  const added = prompts && model.promptAddition;
  const complete = added ? withSystemText(briefed, added.value) : briefed;
  const retreated = inForms(complete, accepts(target, 'tool_choice') ? retreats : [...retreats, 'no-tool-choice']);
  const native =
    !prompts && isConstraining(model, plan) ? nativeConstraint(route, model, target, retreated) : undefined;
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
      ...leftOut(complete, retreated),
    ],
  };
}

/** Models with a context of at most this many tokens get a short tool prompt. */
const smallContext = 8192;

/** How the tool prompt is written for a model. */
const promptOptions = ({ capabilities, contextLength, exampleCalls }: ModelEntry) => ({
  ...(capabilities?.parallel === false && { parallel: false }),
  ...(contextLength !== undefined && contextLength.value <= smallContext && { short: true }),
  ...(exampleCalls?.value === true && { examples: true }),
});

/**
 * The tools that are shown without their schemas. Only if the model's setting says so and wrong calls can be corrected,
 * so that the model sees the schema then.
 */
function* briefToolsOf(
  { model, proxyRules = false }: PreparedFrom,
  plan: RequestPlan,
  turn: Turn,
): Generator<undefined, BriefTools | undefined> {
  const { briefToolsAbove: above, pinnedTools, maxCorrections } = model;
  const constrains = plan.strategyUsed === 'native' && isConstraining(model, plan);
  if (above === undefined || maxCorrections.value === 0 || turn.n > 1 || proxyRules || constrains) return undefined;
  const pinned = (pinnedTools?.value ?? '').split(',').map((name) => name.trim());
  return yield* briefToolsInSteps(turn, { above: above.value, pinned });
}

/** A token is estimated as four characters. */
const noteOf = ({ tools, brief, savedCharacters }: BriefTools): Finding => ({
  stage: 'request',
  detail: `${brief.size} of ${tools.size} tools shown in brief: about ${Math.round(savedCharacters / 4)} tokens less`,
});

/** True if a response without a usable call may be corrected (D-35). */
const isCorrectable = (
  { turn, proxyRules }: PreparedFrom,
  strategyUsed: BaseStrategy,
  dialects: RequestDialects,
): boolean =>
  !dialects.delegatesCalls &&
  turn.n === 1 &&
  turn.tools.size > 0 &&
  turn.toolChoice !== 'none' &&
  !(proxyRules && strategyUsed === 'prompt');

/** The options by which the response is parsed. */
function parsingOf(
  { adapter: inbound, turn, model, proxyRules, bounds }: PreparedFrom,
  { route, strategyUsed }: RequestPlan,
  { dialects: { own, prompt, delegatesCalls }, brief }: ShapedTurn,
  onUnusable: ParseResponseOptions['onUnusable'],
): ParseResponseOptions {
  return {
    // A model that only says which calls it wants makes none, so that a missing one is no error here.
    turn: delegatesCalls ? { ...turn, toolChoice: 'auto' } : turn,
    strategyUsed,
    // If the constraint has a dialect of its own, the response is parsed in that one.
    dialect: own === promptDialect(model) ? model.dialect.value : own.name,
    dialectDeclared: model.dialect.source === 'declared',
    marksCalls: route.marksCalls,
    promptDialect: prompt,
    holdBytes: inbound.wholeCalls ? null : model.holdBytes.value,
    streamed: turn.stream,
    proxyRules,
    reasoningPrefilled: model.reasoningPrefilled?.value ?? false,
    promoteReasoningCalls: model.promoteReasoningCalls.value,
    behindResult: turn.messages.at(-1)?.role === 'tool',
    nudgeAnnounced: model.nudgeAnnounced.value,
    unshown: brief,
    bounds,
    onUnusable,
  };
}

/** Returns the same request for another turn, e.g. one with more messages. The tools must be prepared already. */
export function withTurn(prepared: PreparedRequest, turn: Turn): PreparedRequest {
  const request = prepared.adapter.request(turn, prepared.target);
  const { constrained } = prepared;
  const body = constrained ? withMembers(constrained, prepared.adapter, request.body) : request.body;
  return { ...prepared, path: request.path, body, json: writeBody(turn, body), turn };
}

const withMembers = ({ members }: Constrained, { constraintMembers }: OutboundAdapter, body: JsonObject): JsonObject =>
  copyMembers(constraintMembers?.(members) ?? members, body);

/** True if the engine should be constrained to calls where it can be. */
const isConstraining = ({ strategy }: Pick<ModelEntry, 'strategy'>, { retreats }: RequestPlan): boolean =>
  strategy.value === 'strict' && !retreats.includes('unconstrained');

/** How the engine is constrained to a turn's calls in text; undefined if it is not, or cannot be. */
export function constrainedText(
  turn: Turn,
  model: ModelEntry,
  plan: RequestPlan,
  target: Target = targetOf(plan.route, plan.refused, model),
): Constrained | undefined {
  const { route, api } = plan;
  if (api === 'openai-responses' || !isConstraining(model, plan)) return undefined;
  return textConstraint(route, turn, { model, dialect: promptDialect(model), target });
}

/**
 * Constrains a request of the strategy `prompt` to one call of a tool, whatever the model's strategy setting. Returns
 * the very same request if no constraint is known to work there, or if it would change the dialect.
 */
export function constrainedToTool(
  name: string,
  prepared: PreparedRequest,
  { model, turn, route }: { readonly model: ModelEntry; readonly turn: Turn; readonly route: Route },
): PreparedRequest {
  const { adapter, sentBy, promptDialect: dialect, target } = prepared;
  const fails = route.retreats.some((form) => form.startsWith('unconstrained'));
  if (adapter === outboundAdapters['openai-responses'] || sentBy !== 'prompt' || fails) return prepared;
  const constrained = textConstraint(route, turn, { model, dialect, target, only: name, proved: true });
  return constrained?.dialect === dialect
    ? withTurn({ ...prepared, constrained, strategyUsed: 'strict' }, prepared.turn)
    : prepared;
}

const reasoningMembers = ['reasoning_content', 'reasoning'] as const;

/**
 * The names of the parameters that a request uses: the body's members, `strict` of its tools, `cache_control` of its
 * content parts, and reasoning members of its messages as `messages.NAME`.
 */
export const parametersOf = ({ body, json, turn }: PreparedRequest): string[] => [
  ...Object.keys(body),
  ...(turn.tools.list.some(({ strict }) => strict !== undefined) ? ['strict'] : []),
  ...(json.includes('"cache_control":') ? ['cache_control'] : []),
  ...reasoningMembers.filter((name) => json.includes(`"${name}":`)).map((name) => `messages.${name}`),
];

/** The dialect of the tool prompt: the model's own, or hermes, which most models know. */
const promptDialect = (model: ModelEntry): Dialect => dialectNamed(model.dialect.value) ?? commonDialect;

const commonDialect = dialectNamed('hermes') as Dialect;

/** Applies retreats to a turn, one after the other. */
const inForms = (turn: Turn, retreats: readonly Retreat[]): Turn =>
  retreats.length === 0 ? turn : retreats.reduce(retreatTurn, turn);

/** A token is estimated as four characters. */
function promptTokensAdded(before: Turn, after: Turn): number {
  const system = (turn: Turn): number => {
    const [first] = turn.messages;
    return first?.role === 'system' && typeof first.content === 'string' ? first.content.length : 0;
  };
  return Math.max(0, Math.round((system(after) - system(before)) / 4));
}
