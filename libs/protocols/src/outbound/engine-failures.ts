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

/** A failure that an engine's own words tell. */
export interface EngineFailure {
  readonly kind: EngineFailureKind;
  /** The fixed words that told it, without the names that stand among them. */
  readonly phrases: readonly string[];
  /** What it said, without what it repeats of the request. */
  readonly message: string;
}

/**
 * Why a model server failed, by the words of its error reply's body, or of the error in its stream; undefined: it is none
 * of these kinds. `constrained`: a grammar was at work.
 */
export function engineFailure(
  { fault, body = fault.message }: { readonly fault: Fault; readonly body?: string | undefined },
  constrained: boolean,
): EngineFailure | undefined {
  if (fault.origin !== 'upstream' && fault.code !== 'context_length_exceeded') return undefined;
  const message = engineMessage(body);
  for (const [kind, patterns] of table) {
    if (kind === 'internal' && !constrained) continue;
    for (const pattern of patterns) {
      const match = pattern.exec(message);
      if (match) return { kind, phrases: phrasesOf(match), message };
    }
  }
  return undefined;
}

/** True if the request holds the very words: then who said them is not known, and nothing may be learned of them. */
export const occursInRequest = (phrases: readonly string[], request: string): boolean =>
  phrases.length > 0 && phrases.every((phrase) => request.includes(JSON.stringify(phrase).slice(1, -1)));

/** The fixed words of a match: what stands between its groups. */
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

/**
 * The words of each engine, at the place where it puts them; its names stand behind the line. `grammar` comes before
 * `template`, since llama.cpp says both in one sentence.
 */
const table: readonly (readonly [EngineFailureKind, readonly RegExp[]])[] = [
  [
    'tools',
    [
      /^"auto" tool choice requires --enable-auto-tool-choice/, // vLLM
      /^tool_choice=.{1,80}? requires --tool-call-parser/, // vLLM
      /^tools param requires --jinja/, // llama.cpp, with 500
      /^Unsupported param: tools$/, // llama.cpp
      /^"?([\w./:@-]{1,160})"? does not support tools$/, // Ollama
      /^No endpoints found that support tool use\b/, // OpenRouter, with 404
      /'loc': \('body', 'tools'\)/, // vLLM, SGLang: pydantic
      /Value error, Currently only named tools/, // vLLM
      // Hosted services and routers, each in its own words.
      /^(?:this|the) model ([\w./:@-]{1,160} )?does(?: not|n't) (?:currently )?support (?:the )?(?:use of )?(?:native )?(?:tools?|functions?)\b/i,
      /^[`'"]?(?:tools?|functions?)[`'"]?(?: use| calls?| calling)? (?:is|are) (?:not |un)(?:currently )?(?:supported|available|enabled|allowed)\b/i,
      /^tool(?: use| calls?| calling)? (?:is|are) disabled\b/i,
      /^unsupported param(?:eter)?:? ['"`]?tools['"`]?(?=[ .]|$)/i,
      /^(?:unknown|unrecognized) (?:parameter|request argument)[a-z ]{0,12}:? ['"`]?tools\b/i,
    ],
  ],
  [
    'tool-choice',
    [
      /^Invalid tool_choice type: '/, // LM Studio takes strings only
      /^tool_choice param requires/, // llama.cpp
      /^No endpoints found that support the provided 'tool_choice'/, // OpenRouter, with 404
      /^Invalid value for `tool_choice`/, // SGLang
      /^Thinking mode does not support this tool_choice/, // DeepSeek
      /'loc': \('body', 'tool_choice'/, // vLLM, SGLang: pydantic
    ],
  ],
  [
    'grammar',
    [
      /^The provided JSON schema contains features not/, // vLLM
      /^Failed to transform (?:json schema|regex|choices) into/, // vLLM
      /^Invalid (?:JSON )?grammar spec/, // vLLM
      /^Invalid structural tag spec/, // vLLM
      /^Grammar error: /, // vLLM
      /^Failed to compile \w{1,40} grammar: /, // SGLang
      /^Grammar preprocessing timed out/, // SGLang
      /^Grammar-based generation /, // SGLang
      /^Failed to (?:initialize samplers: failed to )?parse grammar/i, // llama.cpp
      /^(?:Unable to generate parser.{0,90})?(?:"json_schema": )?JSON schema conversion failed:/, // llama.cpp
      /^Cannot use custom grammar/, // llama.cpp
      /^You can only either use constraints/, // vLLM
      /^Structured outputs are not yet/, // vLLM
    ],
  ],
  [
    'parser',
    [
      /^The model produced output that does not match the expected [\w-]{1,40} format/, // llama.cpp
      /^Failed to parse input at pos \d{1,9}: /, // llama.cpp
      /^error parsing tool call: raw='/, // Ollama
      /^incomplete \w{1,40} tool call/, // Ollama
      /^llama-server returned invalid tool call/, // Ollama
      /^unexpected tokens remaining in message header/, // vLLM with gpt-oss
      /^Unexpected token \d{1,9} while expecting start/, // vLLM with gpt-oss
    ],
  ],
  [
    'history',
    [
      /^Failed to parse tool call arguments as JSON/, // llama.cpp
      /^Assistant tool call function\.arguments must/, // SGLang
      /^This model only supports single tool-calls/, // Llama 3's template
    ],
  ],
  [
    'template',
    [
      /^Unable to generate parser for this template/, // llama.cpp
      /^Error rendering prompt with jinja/, // LM Studio
      /^Template error: /, // TGI
    ],
  ],
  [
    'context',
    [
      /^This model's maximum context length is \d/, // vLLM, SGLang, OpenAI
      /^The input \(\d{1,12} tokens\) is longer than/, // SGLang
      /exceeds the available context size (?:\(|of )\d/, // llama.cpp
      /^The number of tokens to keep from the initial prompt/, // LM Studio
      /^Trying to keep the first \d{1,12} tokens/, // LM Studio
    ],
  ],
  ['internal', [/^Internal server error/i]], // vLLM, as SGLang's aborts: a token that its grammar refuses
];
