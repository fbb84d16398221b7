import type { JsonObject } from '@callsmith/turn';
import type { Expectation, ExpectedCall, ProbeCase } from './probe-case.ts';
import { sevenTools } from './tools.ts';

/** A case; `make` is called for each of its requests. */
export const probeCase = (
  number: number,
  title: string,
  streamed: Pick<ProbeCase, 'streamed'>,
  make: ProbeCase['make'],
): ProbeCase => ({ number, title, ...streamed, make });

interface RequestOptions {
  readonly tools?: readonly JsonObject[];
  readonly tool_choice?: JsonObject | string;
  /** Messages before the user's text, and after it. */
  readonly before?: readonly JsonObject[];
  readonly history?: readonly JsonObject[];
  readonly max_tokens?: number;
}

const system = {
  role: 'system',
  content: 'You are a helpful assistant. Call a tool where one helps, else answer in words.',
};

/** A user's text as a message. */
export const userMessage = (content: string): JsonObject => ({ role: 'user', content });

/** A request that ends with the user's text, and the expectation for its answer. */
export function question(
  text: string,
  expects: Expectation,
  { tools = sevenTools, before = [], history = [], ...more }: RequestOptions = {},
) {
  const messages = [system, ...before, userMessage(text), ...history];
  return { request: { messages, tools: [...tools], max_tokens: 400, ...more }, expects };
}

/** Expects exactly these calls. */
export const expectCalls = (...expected: ExpectedCall[]): Expectation => ({ kind: 'calls', calls: expected });

/** The call that asks for the weather in a city. */
export const weatherCall = (city: string): ExpectedCall => ({ name: 'weather', arguments: { city, unit: 'celsius' } });

/** The call that reads a file. */
export const readCall = (path: string): ExpectedCall => ({ name: 'read', arguments: { path } });
