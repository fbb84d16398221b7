import { isObject, parseJson } from '@callsmith/turn';
import { joinFragments } from './fragments.ts';
import { lines } from './lines.ts';
import { messagesOf, toolsOf } from './message.ts';
import type { ReadRecordings } from './recording.ts';

/**
 * Reads recorded requests as `GET /api/turns/:id` returns them, one per line: the upstream's recorded output
 * (`body.raw`) is the reply. There are no expected answers; a request to `/v1/chat/completions` contains its tools.
 */
export function readTranscripts(text: string, group: string): ReadRecordings {
  return lines(text, (line, at) => {
    const body = line.body;
    if (!isObject(body) || typeof body.clientRequest !== 'string') return 'its bodies were not stored';
    const request = parseJson(body.clientRequest);
    if (!isObject(request)) return 'its request was not stored completely';
    const raw = Array.isArray(body.raw) ? body.raw[0] : undefined;
    if (!isObject(raw)) return 'no reply';
    const turn = isObject(line.turn) ? line.turn : {};
    return {
      id: String(turn.id ?? `${group}:${at}`),
      group: typeof turn.model === 'string' ? turn.model : group,
      messages: messagesOf(request.messages),
      tools: toolsOf(request.tools),
      reply: {
        text: typeof raw.text === 'string' ? raw.text : '',
        reasoning: typeof raw.reasoning === 'string' ? raw.reasoning : '',
        calls: joinFragments(raw.fragments),
      },
      cut: turn.errorCode === 'tool_call_truncated',
    };
  });
}
