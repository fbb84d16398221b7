import { isObject } from '@callsmith/turn';
import { lines } from './lines.ts';
import { messagesOf, replyOf, toolsOf } from './message.ts';
import type { ReadRecordings } from './recording.ts';

/**
 * Reads a result file of K2-Vendor-Verifier (github.com/MoonshotAI/K2-Vendor-Verifier): JSON lines of `{data_index,
 * request, response}`, both in the form of `/v1/chat/completions`, without expected answers.
 */
export function readK2VendorVerifier(text: string, group: string): ReadRecordings {
  return lines(text, (line, at) => {
    const { request, response } = line;
    if (!isObject(request)) return 'no request';
    const choice = isObject(response) && Array.isArray(response.choices) ? response.choices[0] : undefined;
    const reply = isObject(choice) ? replyOf(choice.message) : undefined;
    if (!isObject(choice) || reply === undefined) return 'no reply';
    return {
      id: `${group}:${line.data_index ?? at}`,
      group,
      messages: messagesOf(request.messages),
      tools: toolsOf(request.tools),
      reply,
      cut: choice.finish_reason === 'length',
    };
  });
}
