import { isObject, type JsonObject, type JsonValue, parseJson } from '@callsmith/turn';
import { lines } from './lines.ts';
import { textReply } from './message.ts';
import type { AcceptedCall, Expected, ReadRecordings, Recording, Reply } from './recording.ts';

/** A category's cases and accepted answers, as texts of `BFCL_v4_<category>.json` and of the same name in `possible_answer`. */
export interface BfclCases {
  readonly cases: string;
  /** Undefined: the category has none. */
  readonly answers?: string;
}

/** BFCL's names in its cases for the files of `multi_turn_func_doc`, without `.json`. */
export const bfclClasses: Readonly<Record<string, string | undefined>> = {
  GorillaFileSystem: 'gorilla_file_system',
  MathAPI: 'math_api',
  MessageAPI: 'message_api',
  TwitterAPI: 'posting_api',
  TicketAPI: 'ticket_api',
  TradingBot: 'trading_bot',
  TravelAPI: 'travel_booking',
  VehicleControlAPI: 'vehicle_control',
};

/**
 * Reads a result file of the Berkeley Function-Calling Leaderboard, v3 or v4 (github.com/ShishirPatil/gorilla): JSON
 * lines of `{id, result}`, `result` a text or a list of `{name: arguments}`; for several turns a list of turns, each of
 * such lists. `casesOf` finds the cases of a category, `functionsOf` the functions of a class (JSON lines of
 * `multi_turn_func_doc`). Of several turns each step with calls is a recording without an expected answer, since theirs
 * is a state; steps without calls are left out, since their text is not recorded.
 */
export function readBfcl(
  text: string,
  casesOf: (category: string) => BfclCases | undefined,
  functionsOf: (name: string) => string | undefined = () => undefined,
): ReadRecordings {
  const known = new Map<string, Map<string, BfclCase>>();
  return lines(text, (line) => {
    const id = line.id;
    if (typeof id !== 'string') return 'no id';
    const category = id.replace(/_\d+(-\d+)*$/, '');
    if (!known.has(category)) known.set(category, indexed(casesOf(category)));
    const its = known.get(category)?.get(id);
    if (its === undefined) return 'its case is not known';
    if (its.turns !== undefined) return stepsOf({ id, category, turns: its.turns, result: line.result, functionsOf });
    if (!its.single) return 'several turns';
    const reply = replyOf(line.result);
    if (reply === undefined) return 'an error instead of a reply';
    return recordingOf({ id, category, its, reply });
  });
}

interface BfclCase {
  readonly single: boolean;
  /** The tools that are offered over several turns. */
  readonly turns: BfclTurns | undefined;
  readonly messages: readonly JsonObject[];
  readonly functions: readonly JsonObject[];
  readonly answer: JsonValue | undefined;
}

/** The tools of a case of several turns. */
interface BfclTurns {
  readonly classes: readonly string[];
  readonly excluded: ReadonlySet<string>;
  /** By function, the turn from which it is offered. */
  readonly from: ReadonlyMap<string, number>;
}

function turnsOf({ involved_classes: classes, excluded_function: excluded, missed_function: missed }: JsonObject) {
  if (!Array.isArray(classes)) return undefined;
  return {
    classes: classes.map(String),
    excluded: new Set(Array.isArray(excluded) ? excluded.map(String) : []),
    from: new Map(
      Object.entries(isObject(missed) ? missed : {}).flatMap(([turn, names]) =>
        Array.isArray(names) ? names.map((name): [string, number] => [String(name), Number(turn)]) : [],
      ),
    ),
  };
}

function stepsOf({
  id,
  category,
  turns: { classes, excluded, from },
  result,
  functionsOf,
}: {
  readonly id: string;
  readonly category: string;
  readonly turns: BfclTurns;
  readonly result: JsonValue | undefined;
  readonly functionsOf: (name: string) => string | undefined;
}): Recording[] | string {
  if (!Array.isArray(result)) return 'an error instead of a reply';
  const files = classes.map(functionsOf);
  if (files.includes(undefined)) return 'its functions are not known';
  const functions = files.flatMap((file) => objects(file ?? '')).filter(({ name }) => !excluded.has(String(name)));
  return result.flatMap((steps, turn) => {
    const offered = functions.filter(({ name }) => (from.get(String(name)) ?? 0) <= turn);
    const its = { single: false, turns: undefined, messages: [], functions: offered, answer: undefined };
    return (Array.isArray(steps) ? steps : []).flatMap((step, at): Recording[] => {
      const reply = replyOf(step);
      if (reply === undefined || reply.calls.length === 0) return [];
      const { expects: _, ...recording } = recordingOf({ id: `${id}:${turn}:${at}`, category, its, reply });
      return [recording];
    });
  });
}

function recordingOf({
  id,
  category,
  its,
  reply,
}: {
  readonly id: string;
  readonly category: string;
  readonly its: BfclCase;
  readonly reply: Reply;
}): Recording {
  // OpenAI's API allows no dot in a name, so its models were offered an underscore instead.
  const dotted = new Set(its.functions.map(({ name }) => String(name)));
  const renamed = reply.calls.some(({ name }) => !dotted.has(name) && !name.includes('.'));
  const nameOf = (name: string): string => (renamed ? name.replaceAll('.', '_') : name);
  const typed = /(^|_)(java|javascript)$/.test(category);
  const expects = expectedOf(category, its.answer, nameOf);
  return {
    id,
    group: category,
    messages: its.messages,
    tools: its.functions.map((tool) => ({
      type: 'function',
      function: { ...tool, name: nameOf(String(tool.name)), parameters: schemaOf(tool.parameters, typed) ?? {} },
    })),
    reply,
    cut: false,
    ...(expects && { expects }),
  };
}

function expectedOf(
  category: string,
  answer: JsonValue | undefined,
  nameOf: (name: string) => string,
): Expected | undefined {
  if (category.includes('irrelevance')) return { kind: 'none' };
  // Values of Java and JavaScript are text in their language, which only BFCL's own checker parses.
  if (!Array.isArray(answer) || /(^|_)(java|javascript)$/.test(category)) return { kind: 'some' };
  const calls = answer.filter(isObject).flatMap((entry) =>
    Object.entries(entry).map(
      ([name, args]): AcceptedCall => ({
        name: nameOf(name),
        arguments: Object.fromEntries(
          Object.entries(isObject(args) ? args : {}).map(([key, values]) => [key, Array.isArray(values) ? values : []]),
        ),
      }),
    ),
  );
  return { kind: 'calls', calls, rules: 'bfcl' };
}

function indexed(files: BfclCases | undefined): Map<string, BfclCase> {
  const answers = new Map<string, JsonValue | undefined>();
  for (const line of objects(files?.answers ?? '')) answers.set(String(line.id), line.ground_truth);
  return new Map(
    objects(files?.cases ?? '').map((line) => {
      const turns = Array.isArray(line.question) ? line.question : [];
      const [first] = turns;
      const functions = Array.isArray(line.function) ? line.function : [line.function];
      return [
        String(line.id),
        {
          single: turns.length === 1,
          turns: turnsOf(line),
          messages: Array.isArray(first) ? first.filter(isObject) : [],
          functions: functions.filter(isObject),
          answer: answers.get(String(line.id)),
        },
      ];
    }),
  );
}

const objects = (text: string): JsonObject[] =>
  text
    .split('\n')
    .map((line) => parseJson(line))
    .filter(isObject);

function replyOf(result: JsonValue | undefined): Reply | undefined {
  if (typeof result === 'string') return result.startsWith('Error during inference') ? undefined : textReply(result);
  if (!Array.isArray(result)) return undefined;
  const calls = result.filter(isObject).flatMap((entry) =>
    Object.entries(entry).map(([name, args]) => ({
      name,
      arguments: typeof args === 'string' ? args : JSON.stringify(args),
    })),
  );
  return calls.length < result.length ? undefined : { text: '', reasoning: '', calls };
}

const types: Readonly<Record<string, string | undefined>> = { dict: 'object', float: 'number', tuple: 'array' };

/** BFCL's schemas use Python's type names; those of Java and JavaScript are sent as text. */
function schemaOf(schema: JsonValue | undefined, typed: boolean): JsonValue | undefined {
  if (Array.isArray(schema)) return schema.map((one) => schemaOf(one, typed) as JsonValue);
  if (!isObject(schema)) return schema;
  const { type, properties, items, ...rest } = schema;
  const mapped = typeof type === 'string' ? (types[type] ?? type) : undefined;
  const inner = isObject(properties)
    ? Object.fromEntries(
        Object.entries(properties).map(([key, one]) => [
          key,
          typed && isObject(one) ? { type: 'string', description: one.description } : schemaOf(one, typed),
        ]),
      )
    : undefined;
  return {
    ...rest,
    ...(mapped !== undefined && mapped !== 'any' && { type: mapped }),
    ...(inner && { properties: inner }),
    ...(items !== undefined && { items: schemaOf(items, typed) }),
  };
}
