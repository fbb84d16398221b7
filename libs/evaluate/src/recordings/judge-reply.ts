import { isObject, parseJson } from '@callsmith/turn';
import { isAccepted } from './accepted.ts';
import type { Recording, Reply } from './recording.ts';

/** The evaluation of a reply. */
export interface ReplyVerdict {
  /** Calls, and of them those with an offered name, with a JSON object, and with arguments that satisfy the schema. */
  readonly calls: number;
  readonly onOffer: number;
  readonly json: number;
  readonly valid: number;
  /** A call was expected and made; null: none was expected, or nothing is known. */
  readonly made: boolean | null;
  /** The calls are the accepted ones; null: unknown. */
  readonly right: boolean | null;
  /** A call was made although none was expected; null: one was, or nothing is known. */
  readonly falseCall: boolean | null;
  /** All text was delivered; null: some of it was parsed as calls. */
  readonly textKept: boolean | null;
}

/** Whether JSON arguments satisfy the schema of an offered tool. */
export type SatisfiesSchema = (tool: string, json: string) => boolean;

/** Evaluates what a client got of a recorded reply. */
export function judgeReply(recording: Recording, got: Reply, satisfies: SatisfiesSchema): ReplyVerdict {
  const { expects, reply } = recording;
  const names = new Set(recording.tools.map(nameOf));
  const onOffer = got.calls.filter(({ name }) => names.has(name));
  const json = got.calls.filter((call) => isObject(parseJson(call.arguments)));
  const valid = onOffer.filter((call) => json.includes(call) && satisfies(call.name, call.arguments));
  const wanted = expects !== undefined && expects.kind !== 'none';
  return {
    calls: got.calls.length,
    onOffer: onOffer.length,
    json: json.length,
    valid: valid.length,
    made: wanted ? got.calls.length > 0 : null,
    right: expects?.kind === 'calls' ? isAccepted(got.calls, expects) : null,
    falseCall: expects?.kind === 'none' ? got.calls.length > 0 : null,
    textKept: got.calls.length > reply.calls.length ? null : got.text === reply.text,
  };
}

const nameOf = (tool: unknown): unknown => (isObject(tool) && isObject(tool.function) ? tool.function.name : undefined);
