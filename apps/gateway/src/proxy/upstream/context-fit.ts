import type { ModelEntry, Route } from '@callsmith/data/snapshot';
import { engines, outboundAdapters } from '@callsmith/protocols';
import { Fault, type Message } from '@callsmith/turn';
import type { AbortReceiver } from '../record/abort-source.ts';
import { countByUpstream } from './count-tokens.ts';
import type { PreparedRequest } from './prepare-request.ts';
import type { UpstreamClient } from './upstream-client.ts';

/**
 * No text has fewer bytes per token than this. A prompt of fewer bytes than its model's context times this number
 * always fits.
 */
const leastBytesPerToken = 2;
/** A longer prompt is not sent to the server's tokenizer; in UTF-16 units of its JSON. */
const mostBytes = 8 * 1024 * 1024;

/**
 * Whether a prompt may be too long for its model and its server can count it; only then the server is asked. False if
 * the context length is unknown, if the engine has no tokenizer API, and for images and files, whose tokens no
 * tokenizer counts.
 */
export function mayExceedContext(
  { contextLength }: ModelEntry,
  { upstream }: Route,
  { json, turn }: PreparedRequest,
): boolean {
  if (contextLength === undefined || engines[upstream.kind].tokenizer === undefined) return false;
  return (
    json.length > contextLength.value * leastBytesPerToken && json.length <= mostBytes && turn.messages.every(isText)
  );
}

const isText = ({ content }: Message): boolean =>
  typeof content !== 'object' || content === null || content.every(({ type }) => type === 'text');

/**
 * Lets the server's own tokenizer count a prompt. Resolves with the fault `context_length_exceeded` if the prompt
 * cannot fit, with undefined if it fits or could not be counted. An estimate never refuses a prompt.
 */
export async function contextFault(
  client: UpstreamClient,
  { contextLength }: ModelEntry,
  { upstream }: Route,
  { turn, target, toolPromptTokens }: PreparedRequest,
  signal: AbortReceiver,
): Promise<Fault | undefined> {
  const { body } = outboundAdapters['openai-chat'].request(turn, target);
  const counted = await countByUpstream(client, { upstream, body }, signal);
  const context = counted?.context ?? contextLength?.value;
  if (counted === undefined || context === undefined || counted.tokens < context) return undefined;
  const ofTools = toolPromptTokens ? `, about ${toolPromptTokens} of them for the tools` : '';
  return new Fault(
    'context_length_exceeded',
    `This model's maximum context length is ${context} tokens, but the prompt has ${counted.tokens} tokens${ofTools}. Shorten the messages or offer fewer tools.`,
    { param: 'messages' },
  );
}
