import { isObject, type JsonObject } from '@callsmith/turn';
import { isConstrained } from '../constraint.ts';
import type { Controls } from '../controls.ts';
import type { Exchange } from '../exchange.ts';
import { type Random, randomFrom } from '../random.ts';
import { countTokens, renderPrompt } from '../tokens.ts';
import { type PlayedTurn, playTurn, turnKey } from '../turn.ts';
import {
  constraintRefusal,
  type ErrorAnswer,
  engineRejection,
  errorAnswer,
  overflow,
  reasoningRefusal,
  statusAnswer,
  toolRefusal,
} from './errors.ts';

/** What a chat request is answered with. */
export interface PlayRequest {
  readonly body: JsonObject;
  readonly model: string;
  readonly controls: Controls;
  /** How often this turn was requested before, in this run. */
  readonly attempt: (run: string) => number;
}

/** The turns to send, one for each choice. */
export interface Played {
  readonly turns: readonly PlayedTurn[];
  readonly random: Random;
  readonly promptTokens: number;
}

/** Decides the response; undefined if it was an error, which is being sent. */
export async function play(
  exchange: Exchange,
  { body, model, controls, attempt }: PlayRequest,
): Promise<Played | undefined> {
  const problem = wrongBody(body, controls);
  if (problem !== undefined) return void exchange.error(problem);
  const key = turnKey(body);
  const seen = attempt(`${model}|${key.task}|${key.place}|${exchange.request.headers.authorization ?? ''}`);
  const random = randomFrom(`${controls.seed}|${model}|${key.task}|${seen}`);
  const count = typeof body.n === 'number' && body.n >= 1 ? Math.min(Math.floor(body.n), 16) : 1;
  const first = playTurn(body, controls, random);
  const turns = [first, ...Array.from({ length: count - 1 }, () => playTurn(body, controls, random))];
  exchange.record.faults = [...first.faults];
  if (first.faults.has('hang')) return void (await exchange.wait(2 ** 31 - 1));
  if (controls.headers > 0) await exchange.wait(controls.headers);
  const promptTokens = countTokens(renderPrompt(body.messages, body.tools));
  const refusal = refuse(body, model, controls, first, promptTokens);
  if (refusal !== undefined) return void exchange.error(refusal);
  return { turns, random, promptTokens };
}

function wrongBody(body: JsonObject, controls: Controls): ErrorAnswer | undefined {
  if (!Array.isArray(body.messages)) {
    return errorAnswer(400, "[{'type': 'missing', 'loc': ('body', 'messages'), 'msg': 'Field required'}]", controls);
  }
  if (body.messages.every(isObject)) return undefined;
  return errorAnswer(
    400,
    "[{'type': 'dict_type', 'loc': ('body', 'messages'), 'msg': 'Input should be a valid dictionary'}]",
    controls,
  );
}

/** The index of a past response with calls and without reasoning; -1: none. */
const bareAnswer = ({ messages }: JsonObject): number =>
  Array.isArray(messages)
    ? messages.findIndex(
        (message) => isObject(message) && Array.isArray(message.tool_calls) && !message.reasoning_content,
      )
    : -1;

function refuse(body: JsonObject, model: string, controls: Controls, turn: PlayedTurn, promptTokens: number) {
  const { faults } = turn;
  const status = [...faults].find((fault) => fault.startsWith('status-'));
  if (status !== undefined) return statusAnswer(Number(status.slice('status-'.length)), controls);
  const offers = Array.isArray(body.tools) && body.tools.length > 0 && body.tool_choice !== 'none';
  if (offers && (controls.tools === 'refuse' || faults.has('refuse-tools')))
    return toolRefusal(model, body.tool_choice, controls);
  const bare = controls.needsReasoning ? bareAnswer(body) : -1;
  if (bare >= 0) return reasoningRefusal(bare, controls);
  if (controls.constraint === 'refuse' && isConstrained(body)) return constraintRefusal(controls);
  if (faults.has('engine-500') && turn.raw !== undefined) return engineRejection(turn.raw, controls);
  const maxTokens = body.max_completion_tokens ?? body.max_tokens;
  return overflow(promptTokens, typeof maxTokens === 'number' ? maxTokens : undefined, controls);
}
