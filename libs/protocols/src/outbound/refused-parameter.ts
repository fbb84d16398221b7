import type { Fault } from '@callsmith/turn';
import { phrasesOf } from './engine-failures.ts';
import { engineMessage } from './engine-message.ts';

/** Parameters without which a request is meaningless, or whose refusal means something else. */
const neverDropped = new Set(['model', 'messages', 'tools', 'stream', 'input']);

/** A parameter that an upstream refuses, and the fixed words of its message. */
export interface RefusedParameter {
  readonly name: string;
  readonly phrases: readonly string[];
  /** The message, without what it repeats of the request. */
  readonly message: string;
}

/**
 * The parameter that a 400 refuses, e.g. `parallel_tool_calls`; `undefined` if the error is about anything else. A
 * wrong value of a known parameter is for the client to fix and does not count.
 */
export function refusedParameter(fault: Fault): RefusedParameter | undefined {
  if (fault.code !== 'upstream_rejected') return undefined;
  const message = engineMessage(fault.message);
  for (const pattern of patterns) {
    const match = pattern.exec(message);
    const named = match?.[1] ?? '';
    const name = match?.groups?.member ? `messages.${named}` : (meanings.get(named) ?? named);
    if (match && name !== '' && !neverDropped.has(name)) return { name, phrases: phrasesOf(match), message };
  }
  return undefined;
}

/** Parameters with a different name in an engine's messages. */
const meanings: ReadonlyMap<string, string> = new Map([['thinking', 'reasoning_effort']]);

/** Each engine's messages, anchored at the beginning, except for pydantic's list of errors. */
const patterns = [
  /^(?:error: )?(?:unsupported|unknown|unrecognized|unexpected) (?:request )?(?:parameter|param|arguments?|field|keyword argument)s?(?: supplied)?:? ?['"`]?([a-z_]{1,64})\b/i,
  /^(?:the )?(?:(?:parameter|param|argument|field):? )?['"`]([a-z_]{1,64})['"`]:? (?:is|are)(?: not|n't)(?: currently)? (?:a )?(?:supported|allowed|permitted|recognized)/i,
  /^(?:the )?(?:parameter|param|argument|field):? ([a-z_]{1,64}) (?:is|are)(?: not|n't)(?: currently)? (?:supported|allowed|permitted|recognized)/i,
  /^([a-z]{1,32}(?:_[a-z]{1,32}){1,4}) (?:is|are)(?: not|n't)(?: currently)? (?:supported|allowed|permitted|recognized)/i,
  /^(?:this|the) model does(?: not|n't) support (?:the )?(?:parameter |param )?['"`]([a-z_]{1,64})['"`]/i,
  // OpenAI: "Unknown parameter: 'messages[0].content[0].cache_control'."
  /^unknown parameter: ['"`]?messages[\w.[\]]{1,60}\.(cache_control)\b/i,
  // Groq: "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported"
  /^'messages\.\d{1,6}' : for 'role:assistant' the following must be satisfied\[\('messages\.\d{1,6}' : property '(?<member>reasoning(?:_content)?)' is unsupported/,
  /^unknown parameter: ['"`]?messages[\w.[\]]{1,60}\.(?<member>reasoning(?:_content)?)\b/i,
  // Mistral and other servers that validate with pydantic.
  /extra_forbidden'?"?, ?['"]loc['"]: ?[[(]['"]body['"], ?['"]messages['"],[^\])]{0,60}['"](?<member>reasoning(?:_content)?)['"]/i,
  // Ollama, about a model that does not reason.
  /^"?[\w./:@-]{1,160}"? does not support (thinking)$/,
  /^(logprobs) is not supported with tools \+ stream/,
  /extra_forbidden'?"?, ?['"]loc['"]: ?[[(]['"]body['"], ?['"]([a-z_]{1,64})['"]/i,
  /^json: unknown field ['"`\\]{1,2}([a-z_]{1,64})/i,
];
