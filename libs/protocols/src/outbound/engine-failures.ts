import type { Fault } from '@callsmith/turn';
import { engineMessage } from './engine-message.ts';

/**
 * Why an engine failed at a request that another form of it may pass: none of these is an outage.
 *
 * - `tools`: it, or this model on it, takes no tools.
 * - `tool-choice`: it does not take this `tool_choice`.
 * - `grammar`: it cannot make a grammar of a schema.
 * - `parser`: its own parser could not read what its model wrote.
 * - `history`: it cannot read a past call.
 * - `template`: the model's chat template fails at these messages or tools.
 * - `context`: the prompt is longer than the model's context.
 * - `internal`: it failed inside, which under a constraint means that its grammar refused what the model wrote.
 */
export type EngineFailureKind =
  | 'tools'
  | 'tool-choice'
  | 'grammar'
  | 'parser'
  | 'history'
  | 'template'
  | 'context'
  | 'internal';

/**
 * Another form of a request, worth trying where an engine failed at the one before.
 *
 * - `prompt`: the tools in the prompt.
 * - `named-tool`: instead of a `tool_choice` that names a tool, `required` with that tool alone.
 * - `no-tool-choice`: without `tool_choice`; what it asks for is said in the system message.
 * - `no-tools`: where `tool_choice` is `none`, without tools.
 * - `said-choice`: what `tool_choice` asks for is said in the system message as well.
 * - `simple-schemas`: without the keywords of JSON schema that grammars are not made of.
 * - `unconstrained`: without all that makes the engine hold its model to a grammar.
 * - `valid-history`: past calls with valid arguments, one to a message.
 * - `inline-as-user`: system messages behind the first turn as user text, where they stand.
 * - `one-system`: one system message, at the beginning.
 * - `plain-roles`: user and assistant by turns; what the system says stands in the first user message.
 * - `again`: the same once more; the model may write it better.
 */
export type Retreat =
  | 'prompt'
  | 'named-tool'
  | 'no-tool-choice'
  | 'no-tools'
  | 'said-choice'
  | 'simple-schemas'
  | 'unconstrained'
  | 'valid-history'
  | 'inline-as-user'
  | 'one-system'
  | 'plain-roles'
  | 'again';

/**
 * One form to try; `learned`: if it gave output, the next requests start with it: all, or those with the same tools.
 */
export interface RetreatStep {
  readonly retreat: Retreat;
  readonly learned?: 'always' | 'same-tools';
}

const always = (retreat: Retreat): RetreatStep => ({ retreat, learned: 'always' });
/** One tool can break the whole set. */
const sameTools = (retreat: Retreat): RetreatStep => ({ retreat, learned: 'same-tools' });
const once = (retreat: Retreat): RetreatStep => ({ retreat });

/** The forms that are tried within the same request after each kind of failure, in this order; each at most once. */
export const retreats: Readonly<Record<EngineFailureKind | 'choice-unheeded', readonly RetreatStep[]>> = {
  tools: [always('prompt')],
  'tool-choice': [always('named-tool'), always('no-tool-choice'), once('prompt')],
  grammar: [sameTools('simple-schemas'), sameTools('unconstrained'), sameTools('prompt')],
  parser: [once('prompt'), once('again')],
  history: [always('valid-history'), once('prompt')],
  template: [always('inline-as-user'), always('one-system'), always('plain-roles'), always('prompt')],
  context: [],
  internal: [always('unconstrained')],
  // Not reported by the engine but seen in the response: `tool_choice` was accepted and ignored.
  'choice-unheeded': [always('named-tool'), always('said-choice')],
};

/** A failure recognized by an engine's own message. */
export interface EngineFailure {
  readonly kind: EngineFailureKind;
  /** The fixed words that identified it, without the names among them. */
  readonly phrases: readonly string[];
  /** Its message, without what it repeats of the request. */
  readonly message: string;
}

/**
 * Why a model server failed, by its error response's body, or by the error in its stream; undefined: none of these
 * kinds. `constrained`: a grammar was used.
 */
export function engineFailure(
  { fault, body = fault.message }: { readonly fault: Fault; readonly body?: string | undefined },
  constrained: boolean,
): EngineFailure | undefined {
  if (fault.origin !== 'upstream' && fault.code !== 'context_length_exceeded') return undefined;
  const message = engineMessage(body);
  for (const kind of kinds) {
    if (kind === 'internal' && !constrained) continue;
    for (const pattern of patterns[kind]) {
      const match = pattern.exec(message);
      if (match) return { kind, phrases: phrasesOf(match), message };
    }
  }
  return undefined;
}

/** True if an engine's own message says that the prompt is longer than the model's context. */
export const isContextExceeded = (message: string): boolean =>
  patterns.context.some((pattern) => pattern.test(engineMessage(message)));

/**
 * True if the request contains the same words: then their author is uncertain, and nothing may be learned from them.
 */
export const occursInRequest = (phrases: readonly string[], request: string): boolean =>
  phrases.length > 0 && phrases.every((phrase) => request.includes(JSON.stringify(phrase).slice(1, -1)));

/** The fixed words of a match: what is between its groups. */
export function phrasesOf(match: RegExpExecArray): string[] {
  let rest = match[0];
  const phrases: string[] = [];
  for (const name of match.slice(1)) {
    if (name === undefined) continue;
    const at = rest.indexOf(name);
    phrases.push(rest.slice(0, at));
    rest = rest.slice(at + name.length);
  }
  return [...phrases, rest].map((phrase) => phrase.trim()).filter((phrase) => /\w{2}/.test(phrase));
}

/** In matching order: `grammar` before `template`, since llama.cpp reports both in one sentence. */
const kinds: readonly EngineFailureKind[] = [
  'tools',
  'tool-choice',
  'grammar',
  'parser',
  'history',
  'template',
  'context',
  'internal',
];

/** pydantic's list of errors, up to the field that the first one is about. */
const pydantic = String.raw`^(?:\d{1,3} validation errors?:\s{0,8})?\[?\s{0,8}\{['"]type['"]: ?['"]\w{1,60}['"], ?['"]loc['"]: ?[[(]['"]body['"], ?['"]`;

/**
 * Each engine's messages, anchored at the beginning, so that text of the request that it repeats is not mistaken for
 * its own. Hosted services and routers each have their own.
 */
const words: Readonly<Record<string, { readonly [Kind in EngineFailureKind]?: readonly RegExp[] }>> = {
  vllm: {
    tools: [
      /^"auto" tool choice requires --enable-auto-tool-choice/,
      /^tool_choice=.{1,80}? requires --tool-call-parser/,
      new RegExp(`${pydantic}tools['"][\\])]`),
      /^(?:\d{1,3} validation errors?:\s{0,8})?\[?\s{0,8}\{'type': 'value_error', 'loc': \('body',[^)]{0,60}\), 'msg': 'Value error, Currently only named tools/,
      /^Value error, Currently only named tools/,
    ],
    'tool-choice': [new RegExp(`${pydantic}tool_choice['"]`)],
    grammar: [
      /^The provided JSON schema contains features not/,
      /^Failed to transform (?:json schema|regex|choices) into/,
      /^Invalid (?:JSON )?grammar spec/,
      /^Invalid structural tag spec/,
      /^Grammar error: /,
      /^You can only either use constraints/,
      /^Structured outputs are not yet/,
    ],
    parser: [/^unexpected tokens remaining in message header/, /^Unexpected token \d{1,9} while expecting start/], // gpt-oss
    template: [
      /^System message must be at the beginning/,
      /^No user query found/,
      /^(?:After the optional system message, c|C)onversation roles must alternate/,
      /^System role (?:is )?not supported/,
      /^Only user(?:, assistant and tool|, system and assistant| and assistant) roles are supported/,
    ],
    context: [/^This model's maximum context length is \d/], // SGLang and OpenAI too
    internal: [/^Internal server error/i], // also of SGLang's aborts: a token that its grammar refuses
  },
  sglang: {
    'tool-choice': [/^Invalid value for `tool_choice`/],
    grammar: [
      /^Failed to compile \w{1,40} grammar: /,
      /^Grammar preprocessing timed out/,
      /^Grammar-based generation /,
    ],
    history: [/^Assistant tool call function\.arguments must/],
    context: [/^The input \(\d{1,12} tokens\) is longer than/],
  },
  llamacpp: {
    tools: [/^tools param requires --jinja/, /^Unsupported param: tools$/], // with 500
    'tool-choice': [/^tool_choice param requires/],
    grammar: [
      /^Failed to (?:initialize samplers: failed to )?parse grammar/i,
      /^(?:Unable to generate parser.{0,90})?(?:"json_schema": )?JSON schema conversion failed:/,
      /^Cannot use custom grammar/,
    ],
    parser: [
      /^The model produced output that does not match the expected [\w-]{1,40} format/,
      /^Failed to parse input at pos \d{1,9}: /,
    ],
    history: [/^Failed to parse tool call arguments as JSON/, /^This model only supports single tool-calls/],
    template: [/^Unable to generate parser for this template/],
    context: [/^(?:the )?request (?:\(\d{1,12} tokens\) )?exceeds the available context size (?:\(|of )\d/i],
  },
  ollama: {
    tools: [/^"?([\w./:@-]{1,160})"? does not support tools$/],
    parser: [
      /^error parsing tool call: raw='/,
      /^incomplete \w{1,40} tool call/,
      /^llama-server returned invalid tool call/,
    ],
  },
  lmstudio: {
    'tool-choice': [/^Invalid tool_choice type: '/], // it accepts strings only
    template: [/^Error rendering prompt with jinja/],
    context: [/^The number of tokens to keep from the initial prompt/, /^Trying to keep the first \d{1,12} tokens/],
  },
  tgi: {
    template: [/^Template error: /],
  },
  deepseek: {
    'tool-choice': [/^Thinking mode does not support this tool_choice/],
  },
  openrouter: {
    // With 404.
    tools: [/^No endpoints found that support tool use\b/],
    'tool-choice': [/^No endpoints found that support the provided 'tool_choice'/],
  },
  hosted: {
    tools: [
      /^(?:this|the) model ([\w./:@-]{1,160} )?does(?: not|n't) (?:currently )?support (?:the )?(?:use of )?(?:native )?(?:tools?|functions?)\b/i,
      /^[`'"]?(?:tools?|functions?)[`'"]?(?: use| calls?| calling)? (?:is|are) (?:not |un)(?:currently )?(?:supported|available|enabled|allowed)\b/i,
      /^tool(?: use| calls?| calling)? (?:is|are) disabled\b/i,
      /^unsupported param(?:eter)?:? ['"`]?tools['"`]?(?=[ .]|$)/i,
      /^(?:unknown|unrecognized) (?:parameter|request argument)[a-z ]{0,12}:? ['"`]?tools\b/i,
    ],
  },
};

const patterns = Object.fromEntries(
  kinds.map((kind) => [kind, Object.values(words).flatMap((engine) => engine[kind] ?? [])]),
) as unknown as Readonly<Record<EngineFailureKind, readonly RegExp[]>>;
