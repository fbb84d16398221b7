import type { BaseStrategy, Message, PastCall, Turn } from '@callsmith/turn';
import type { Dialect } from '../dialect.ts';
import type { Unusable, UnusableCall } from '../finalize/unusable.ts';
import { correctionMessage, correctionOf } from './correction-message.ts';
import { withDialectIds } from './dialect-ids.ts';
import { escaperFor } from './live-markers.ts';

/** What is wrong with an answer, and what its model wrote. */
export interface CorrectionRequest {
  readonly unusable: Unusable;
  /** The answer's text and reasoning as they came. */
  readonly text: string;
  readonly reasoning: string;
  readonly strategyUsed: BaseStrategy;
  /** The dialect of the tool prompt, in which the ids of past calls are written. */
  readonly dialect: Dialect;
  /** The turn before it was prepared for its strategy, with the messages of all earlier corrections. */
  readonly clientTurn: Turn;
  /** Which try it is that failed: 1 for the first. */
  readonly tries: number;
}

/**
 * What is appended to a request whose answer was of no use: the model's own output, and what is wrong with it. Under
 * `prompt` both are text, in the dialect's terms where the call has an end; natively they are a call and its result. The
 * messages before stay as they are, so that the server's prefix cache holds.
 */
export function correctionMessages(request: CorrectionRequest): readonly Message[] {
  const { unusable, strategyUsed } = request;
  const calls = unusable.kind === 'calls' ? unusable.calls : [];
  if (strategyUsed === 'native' && calls.length > 0 && calls.every(({ source }) => source === 'native'))
    return nativeCalls(request, calls);
  return strategyUsed === 'prompt' ? inPrompt(request, calls) : inText(request);
}

/** Some servers refuse a past call whose arguments are no JSON: what the model wrote then stands in the result. */
function nativeCalls(request: CorrectionRequest, calls: readonly UnusableCall[]): Message[] {
  const { text, clientTurn } = request;
  const past = pastCalls(request, calls);
  return [
    { role: 'assistant', content: text === '' ? null : text, ...reasoningOf(request), calls: past },
    ...calls.map((call, at): Message => {
      const content = correctionOf(call, clientTurn.tools, { quotesRaw: call.arguments === undefined });
      return { role: 'tool', callId: past[at]?.id ?? '', content };
    }),
  ];
}

function inPrompt(request: CorrectionRequest, calls: readonly UnusableCall[]): Message[] {
  const { text, dialect, clientTurn } = request;
  const past = pastCalls(request, calls);
  const escaper = escaperFor(dialect, clientTurn.tools);
  // A server may have made a call of what the model wrote, although it was not told of tools.
  const parsed = past.filter((_, at) => calls[at]?.source === 'native').map((call) => dialect.renderCall(call));
  const modelText = [...(text === '' ? [] : [text]), ...parsed].join('\n');
  const results = calls.map((call, at) => {
    const message = escaper.escape(correctionOf(call, clientTurn.tools, { quotesRaw: false }));
    if (!call.closed) return message;
    const { id, name } = past[at] as PastCall;
    return dialect.renderResult({ callId: id, name, text: message });
  });
  const content = results.length > 0 ? results.join('\n') : correctionMessage(request.unusable, clientTurn);
  return [
    { role: 'assistant', content: modelText, ...reasoningOf(request), calls: [] },
    { role: 'user', content },
  ];
}

function inText(request: CorrectionRequest): Message[] {
  return [
    { role: 'assistant', content: request.text, ...reasoningOf(request), calls: [] },
    { role: 'user', content: correctionMessage(request.unusable, request.clientTurn) },
  ];
}

const reasoningOf = ({ reasoning }: CorrectionRequest): { readonly reasoning?: string } =>
  reasoning === '' ? {} : { reasoning };

/** Calls as the history has them, with ids as the dialect's template wants them. */
function pastCalls(
  { clientTurn, dialect, tries }: CorrectionRequest,
  calls: readonly UnusableCall[],
): readonly PastCall[] {
  const past = calls.map((call, at) => ({
    id: `call_try${tries}_${at}`,
    name: call.tool?.name ?? call.name,
    arguments: call.arguments ?? '{}',
  }));
  const turn = {
    ...clientTurn,
    messages: [...clientTurn.messages, { role: 'assistant' as const, content: null, calls: past }],
  };
  const last = withDialectIds(turn, dialect.name).messages.at(-1);
  return last?.role === 'assistant' ? last.calls : past;
}
