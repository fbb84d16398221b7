import type { JsonObject, JsonValue } from '@callsmith/turn';
import { chance, pick, type Random } from './random.ts';
import { wellFormed } from './well-formed.ts';

/** A request that is to be refused, and the path that the refusal is to name. */
export interface Malformed {
  readonly request: JsonValue;
  readonly param: string;
  readonly about: string;
}

/** What a place may hold; `absent` where it may also be left out. */
interface Place {
  readonly path: RegExp;
  readonly takes: readonly Kind[];
  readonly absent: boolean;
}

type Kind = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

/** The API's own description, place by place. Null counts as absent where a parameter is optional. */
const places: readonly Place[] = [
  { path: /^model$/, takes: ['string'], absent: false },
  { path: /^messages$/, takes: ['array'], absent: false },
  { path: /^messages\[\d+\]$/, takes: ['object'], absent: true },
  { path: /^messages\[\d+\]\.role$/, takes: [], absent: false },
  { path: /^messages\[\d+\]\.content$/, takes: ['string', 'array', 'null'], absent: true },
  { path: /^messages\[\d+\]\.content\[\d+\]$/, takes: ['object'], absent: true },
  { path: /^messages\[\d+\]\.content\[\d+\]\.(type|text)$/, takes: ['string'], absent: false },
  { path: /^messages\[\d+\]\.content\[\d+\]\.image_url\.url$/, takes: ['string'], absent: false },
  { path: /^messages\[\d+\]\.tool_calls$/, takes: ['array', 'null'], absent: true },
  { path: /^messages\[\d+\]\.tool_calls\[\d+\]$/, takes: ['object'], absent: true },
  { path: /^messages\[\d+\]\.tool_calls\[\d+\]\.id$/, takes: ['string'], absent: false },
  { path: /^messages\[\d+\]\.tool_calls\[\d+\]\.type$/, takes: ['null'], absent: true },
  { path: /^messages\[\d+\]\.tool_calls\[\d+\]\.function$/, takes: ['object'], absent: false },
  { path: /^messages\[\d+\]\.tool_calls\[\d+\]\.function\.name$/, takes: ['string'], absent: false },
  // An object means what its JSON means (M-6), and null means no arguments.
  {
    path: /^messages\[\d+\]\.tool_calls\[\d+\]\.function\.arguments$/,
    takes: ['string', 'object', 'null'],
    absent: false,
  },
  { path: /^messages\[\d+\]\.tool_call_id$/, takes: ['string'], absent: false },
  { path: /^tools$/, takes: ['array', 'null'], absent: true },
  { path: /^tools\[\d+\]$/, takes: ['object'], absent: true },
  { path: /^tools\[\d+\]\.type$/, takes: [], absent: true },
  { path: /^tools\[\d+\]\.function$/, takes: ['object'], absent: false },
  { path: /^tools\[\d+\]\.function\.name$/, takes: ['string'], absent: false },
  { path: /^tools\[\d+\]\.function\.description$/, takes: ['string', 'null'], absent: true },
  { path: /^tools\[\d+\]\.function\.strict$/, takes: ['boolean', 'null'], absent: true },
  { path: /^tools\[\d+\]\.function\.parameters$/, takes: ['object', 'null'], absent: true },
  { path: /^tools\[\d+\]\.function\.parameters\.(type)$/, takes: [], absent: true },
  { path: /^tools\[\d+\]\.function\.parameters\.(properties)$/, takes: ['object'], absent: true },
  { path: /^tools\[\d+\]\.function\.parameters\.(required)$/, takes: ['array'], absent: true },
  { path: /^(tool_choice)$/, takes: ['object', 'null'], absent: true },
  { path: /^(stream|parallel_tool_calls)$/, takes: ['boolean', 'null'], absent: true },
  { path: /^(stream_options|response_format)$/, takes: ['object', 'null'], absent: true },
  { path: /^stream_options\.include_usage$/, takes: ['boolean', 'null'], absent: true },
  { path: /^response_format\.type$/, takes: ['string'], absent: false },
  { path: /^(temperature|top_p|max_tokens|n|seed)$/, takes: ['number', 'null'], absent: true },
  { path: /^stop$/, takes: ['string', 'array', 'null'], absent: true },
];

const samples: Readonly<Record<Kind, readonly JsonValue[]>> = {
  null: [null],
  boolean: [true, false],
  number: [0, 42, -3.5],
  string: ['', 'x', 'function_call', '42'],
  array: [[], [1], ['a']],
  object: [{}, { a: 1 }],
};

/** A value out of its range, or a relation that does not hold. */
const faults: readonly { about: string; param: (request: JsonObject, random: Random) => string }[] = [
  ...(
    [
      ['temperature', 2.5],
      ['temperature', -0.1],
      ['top_p', 1.2],
      ['n', 0],
      ['n', 1.5],
      ['max_tokens', 1.5],
      ['seed', 0.5],
    ] as const
  ).map(([name, value]) => ({
    about: `${name} ${value}`,
    param: (request: JsonObject) => {
      request[name] = value;
      return name;
    },
  })),
  { about: 'no messages', param: (request) => ((request.messages = []), 'messages') },
  {
    about: 'a tool name with a space',
    param: (request, random) => inTool(request, random, (own) => ((own.name = 'read file'), 'name')),
  },
  {
    about: 'a tool name with markup',
    param: (request, random) => inTool(request, random, (own) => ((own.name = '<b>'), 'name')),
  },
  {
    about: 'an empty tool name',
    param: (request, random) => inTool(request, random, (own) => ((own.name = ''), 'name')),
  },
  {
    about: 'a schema that is no object',
    param: (request, random) =>
      inTool(request, random, (own) => ((own.parameters = { type: 'string' }), 'parameters.type')),
  },
  {
    about: 'required names that are no strings',
    param: (request, random) =>
      inTool(request, random, (own) => ((own.parameters = { type: 'object', required: [1] }), 'parameters.required')),
  },
  {
    about: 'a choice that is not on offer',
    param: (request) => ((request.tool_choice = { type: 'function', function: { name: 'nope' } }), 'tool_choice'),
  },
  { about: 'an unknown choice', param: (request) => ((request.tool_choice = 'sometimes'), 'tool_choice') },
  {
    about: 'a choice without a name',
    param: (request) => ((request.tool_choice = { type: 'function', function: {} }), 'tool_choice.function.name'),
  },
  {
    about: 'a call demanded with no tools',
    param: (request) => ((request.tools = []), (request.tool_choice = 'required'), 'tool_choice'),
  },
  {
    about: 'the result of no call',
    param: (request, random) => {
      const messages = request.messages as JsonObject[];
      const at = pick(
        random,
        messages.flatMap((message, index) => (message.role === 'tool' ? [index] : [])),
      );
      (messages[at] as JsonObject).tool_call_id = 'call_of_another_conversation';
      return `messages[${at}].tool_call_id`;
    },
  },
  {
    about: 'a result before its call',
    param: (request) => {
      const messages = request.messages as JsonObject[];
      const at = messages.findIndex((message) => message.role === 'tool');
      messages.splice(1, 0, ...messages.splice(at, 1));
      return 'messages[1]';
    },
  },
];

function inTool(request: JsonObject, random: Random, damage: (own: JsonObject) => string): string {
  const tools = request.tools as JsonObject[];
  const at = Math.floor(random() * tools.length);
  return `tools[${at}].function.${damage((tools[at] as JsonObject).function as JsonObject)}`;
}

/** A well-formed request with one thing wrong. */
export function malformed(random: Random): Malformed {
  const request = wellFormed(random);
  if (chance(random, 0.3)) {
    const fault = pick(random, faults);
    return { param: fault.param(request, random), request, about: fault.about };
  }
  const found = pick(random, [...placesIn(request)]);
  const wrong = (Object.keys(samples) as Kind[]).filter((kind) => !found.place.takes.includes(kind));
  if (!found.place.absent && chance(random, 0.3)) {
    delete (found.holder as JsonObject)[found.key];
    return { request, param: found.path, about: `no ${found.path}` };
  }
  const kind = pick(random, found.place.absent && wrong.length > 1 ? wrong.filter((one) => one !== 'null') : wrong);
  const value = pick(random, samples[kind]);
  (found.holder as Record<string, JsonValue>)[found.key] = value;
  return { request, param: found.path, about: `${found.path} is ${JSON.stringify(value)}` };
}

interface Found {
  readonly place: Place;
  readonly path: string;
  readonly holder: JsonObject | JsonValue[];
  readonly key: string;
}

function* placesIn(holder: JsonObject | JsonValue[], before = ''): Generator<Found> {
  for (const key of Object.keys(holder)) {
    const path = Array.isArray(holder) ? `${before}[${key}]` : before === '' ? key : `${before}.${key}`;
    const place = places.find((one) => one.path.test(path));
    if (place) yield { place, path, holder, key };
    const value = (holder as Record<string, JsonValue>)[key];
    if (typeof value === 'object' && value !== null) yield* placesIn(value as JsonObject, path);
  }
}
