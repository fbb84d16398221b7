import { type Fault, isObject, type JsonValue, parseJson } from '@callsmith/turn';

/** True if the upstream's error says that it, or this model on it, takes no tools. */
export function refusesTools(fault: Fault): boolean {
  if (fault.origin !== 'upstream') return false;
  const text = fault.message.toLowerCase();
  return toolWords.some((words) => text.includes(words)) || toolPatterns.some((pattern) => pattern.test(text));
}

/** vLLM, Ollama, llama.cpp, OpenRouter and others. */
const toolWords = [
  '--enable-auto-tool-choice',
  '--tool-call-parser',
  'tools param requires --jinja',
  'endpoints found that support tool use',
  'support for tool use',
];

const toolPatterns = [
  /\bdo(?:es)?(?: not|n't) (?:currently )?(?:support|allow|accept|advertise) (?:the )?(?:use of )?(?:native )?(?:tools?|functions?)\b/,
  /\b(?:tools?|functions?)(?: use| calls?| calling|_calls)? (?:is|are) (?:not|un)[ -]?(?:supported|available|enabled|allowed)\b/,
  /\bunsupported param(?:eter)?:? ['"`]?tools?\b/,
  /\b(?:unknown|unrecognized) (?:parameter|request argument)[a-z ]{0,12}:? ['"`]?tools\b/,
];

/** Parameters without which a request has no meaning, or whose refusal means something else. */
const neverDropped = new Set(['model', 'messages', 'tools', 'stream', 'input']);

/**
 * The parameter that a 400 complains about as one it does not take, e.g. `parallel_tool_calls`; `undefined` if it
 * complains about anything else. A wrong value of a known parameter is the client's to mend and is not such a case.
 */
export function refusedParameter(fault: Fault): string | undefined {
  if (fault.code !== 'upstream_rejected') return undefined;
  for (const pattern of parameterPatterns) {
    const name = pattern.exec(fault.message)?.[1];
    if (name !== undefined && !neverDropped.has(name)) return name;
  }
  return undefined;
}

const parameterPatterns = [
  /(?:unsupported|unknown|unrecognized|unexpected) (?:request )?(?:parameter|param|argument|arguments|field|keyword argument)s?(?: supplied)?:? ?['"`]?([a-z_]{1,64})\b/i,
  // A value that is not taken, `tool_choice = "required"`, is no parameter.
  /(?<!= ?)['"`]([a-z_]{1,64})['"`]?:? (?:is|are)(?: not|n't)(?: currently)? (?:a )?(?:supported|allowed|permitted|recognized)/i,
  /\b(?:parameter|param|argument|field):? ['"`]?([a-z_]{1,64})['"`]? (?:is|are)(?: not|n't)(?: currently)? (?:supported|allowed|permitted|recognized)/i,
  /(?:^|[ .:])([a-z]{1,32}(?:_[a-z]{1,32}){1,4}) (?:is|are)(?: not|n't)(?: currently)? (?:supported|allowed|permitted|recognized)/i,
  /does(?: not|n't) support (?:the )?(?:parameter |param )?['"`]([a-z_]{1,64})['"`]/i,
  // pydantic: {'type': 'extra_forbidden', 'loc': ('body', 'store'), …
  /extra_forbidden'?"?, ?['"]loc['"]: ?[[(]['"]body['"], ?['"]([a-z_]{1,64})['"]/i,
  /json: unknown field ['"`\\]{1,2}([a-z_]{1,64})/i,
  /\bunsupported param: ([a-z_]{1,64})/i,
];

/**
 * The raw text of its own model's call that an engine could not read and answered with an error instead: Ollama's
 * `error parsing tool call: raw='…', err=…`, llama.cpp's `Failed to parse input at pos 12: …`. `undefined` for any other
 * error, also for a complaint about calls in the request's history. Takes the whole body of a reply or a message.
 */
export function rejectedCall(body: string): string | undefined {
  const message = messageIn(parseJson(body)) ?? body;
  const ollama = message.indexOf("error parsing tool call: raw='");
  if (ollama !== -1) {
    const raw = message.slice(ollama + "error parsing tool call: raw='".length);
    const end = raw.lastIndexOf("', err=");
    return end === -1 ? raw : raw.slice(0, end);
  }
  const llama = /failed to parse input at pos \d{1,9}: ?/i.exec(message);
  if (llama) return message.slice(llama.index + llama[0].length);
  return undefined;
}

function messageIn(body: JsonValue | undefined): string | undefined {
  if (!isObject(body)) return undefined;
  if (typeof body.error === 'string') return body.error;
  if (isObject(body.error) && typeof body.error.message === 'string') return body.error.message;
  return typeof body.message === 'string' ? body.message : undefined;
}
