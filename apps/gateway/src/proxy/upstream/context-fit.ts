import type { ModelEntry, Route } from '@callsmith/data/snapshot';
import { engines, outboundAdapters } from '@callsmith/protocols';
import { Fault, type Message } from '@callsmith/turn';
import type { AbortReceiver } from '../record/abort-source.ts';
import { countByUpstream } from './count-tokens.ts';
import type { PreparedRequest } from './prepare-request.ts';
import type { UpstreamClient } from './upstream-client.ts';

/** Text of fewer bytes a token than this is not seen: a prompt of fewer than these times its context fits. */
const leastBytesPerToken = 2;
/** A prompt beyond this is not sent to be counted. */
const mostBytes = 8 * 1024 * 1024;

/**
 * Whether a prompt may be too long for its model and can be counted: only then is its server asked. False where nothing
 * is known of the context, where the engine counts no prompts, and for pictures and files, whose tokens no tokenizer tells.
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
 * Asks the server's own tokenizer for a prompt's tokens. The refusal of one that cannot fit; undefined: it fits, or the
 * server did not count it. An estimate refuses nothing.
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
