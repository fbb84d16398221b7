import type { Stage } from '@callsmith/stream';
import {
  copyNumberSources,
  Fault,
  hasToolHistory,
  isObject,
  type JsonObject,
  type JsonValue,
  type Turn,
  type Usage,
  writeJson,
} from '@callsmith/turn';
import type { ResponseHead } from '../../inbound-adapter.ts';
import { readCompletion } from '../../outbound/openai-chat/read-completion.ts';
import { parseReply } from '../../outbound/parse-reply.ts';
import { faultIn } from '../../outbound/to-fault.ts';
import { chatUsage } from './usage.ts';

/** True for a turn without tools and without tool history: its response need not be parsed for calls. */
export const mayPassThrough = (turn: Turn): boolean => turn.tools.size === 0 && !hasToolHistory(turn);

/**
 * Passes chunk payloads of a chat upstream to the client, unchanged except for the public model name, the gateway's id,
 * and unrequested usage (SC-010). An error event and a broken stream end with a fault, as elsewhere.
 */
export const passthroughStream =
  (turn: Turn, head: ResponseHead, isCounted: () => boolean): Stage<string, string> =>
  (next) => {
    const ownId = `"id":${JSON.stringify(head.id)}`;
    let learned: { prefix: string; mine: string } | undefined;
    let finished = false;
    let closed = false;

    function close(fault?: Fault): void {
      if (closed) return;
      closed = true;
      if (fault === undefined && (!turn.includeUsage || isCounted())) next.push(lastFrame);
      next.end(fault);
    }

    function slow(payload: string): void {
      const chunk = parseReply(payload);
      if (!isObject(chunk)) {
        close(new Fault('upstream_invalid_answer', 'The model server sent an event that is not a JSON object.'));
        return;
      }
      const fault = faultIn(chunk);
      if (fault) {
        close(fault);
        return;
      }
      const choices = Array.isArray(chunk.choices) ? chunk.choices : [];
      if (choices.some((choice) => isObject(choice) && typeof choice.finish_reason === 'string')) finished = true;
      if (!turn.includeUsage && choices.length === 0 && isObject(chunk.usage)) return;
      learned = learn(payload, chunk, head, ownId);
      next.push(`data: ${writeJson(ownChunk(chunk, turn, head))}\n\n`);
    }

    return {
      push(payload) {
        if (closed || payload === '') return;
        if (payload.trim() === '[DONE]') {
          close();
          return;
        }
        // A chunk with the learned head, without usage and finish, differs only in that head.
        if (learned && payload.startsWith(learned.prefix) && !unusual(payload, learned.prefix.length))
          next.push(`${learned.mine + payload.slice(learned.prefix.length)}\n\n`);
        else slow(payload);
      },
      flush: () => next.flush(),
      end(fault) {
        close(
          fault ??
            (finished
              ? undefined
              : new Fault('upstream_cut_off', 'The model server ended its stream without a finish_reason.')),
        );
      },
    };
  };

const lastFrame = 'data: [DONE]\n\n';

/** The counts in a separate chunk, and the end of the stream. */
export function usageAndDone({ id, model, createdAt }: ResponseHead, usage: Usage): string {
  const chunk = {
    id,
    object: 'chat.completion.chunk',
    created: createdAt,
    model,
    choices: [],
    usage: chatUsage(usage),
  };
  return `data: ${JSON.stringify(chunk)}\n\n${lastFrame}`;
}

/**
 * A whole response of a chat upstream, unchanged except for the public model name and the gateway's id. Throws the
 * error it contains.
 */
export function passthroughWhole(whole: JsonValue, head: ResponseHead): JsonObject {
  const completion = readCompletion(whole);
  const own = { ...completion, id: head.id, model: head.model };
  copyNumberSources(completion, own);
  return own;
}

function ownChunk(chunk: JsonObject, turn: Turn, head: ResponseHead): JsonObject {
  const { usage, ...rest } = chunk;
  const own = { ...rest, id: head.id, model: head.model, ...(turn.includeUsage && usage !== undefined && { usage }) };
  copyNumberSources(chunk, own);
  return own;
}

/** Anything that the fast path cannot copy: usage, a finish, an error, truncated ends. */
function unusual(payload: string, from: number): boolean {
  return (
    !payload.endsWith('}') ||
    payload.includes('\n') ||
    payload.includes('"usage"', from) ||
    payload.includes('"error"', from) ||
    !payload.includes('"finish_reason":null', from)
  );
}

/** The text up to `"choices":[` of a chunk whose head is `id`, `object`, `created`, `model` in vLLM's and OpenAI's order. */
function learn(
  payload: string,
  chunk: JsonObject,
  head: ResponseHead,
  ownId: string,
): { prefix: string; mine: string } | undefined {
  const { id, object, created, model } = chunk;
  if (typeof id !== 'string' || typeof model !== 'string' || typeof created !== 'number' || typeof object !== 'string')
    return undefined;
  const middle = `"object":${JSON.stringify(object)},"created":${created},`;
  const prefix = `{"id":${JSON.stringify(id)},${middle}"model":${JSON.stringify(model)},"choices":[`;
  return payload.startsWith(prefix)
    ? { prefix, mine: `data: {${ownId},${middle}"model":${JSON.stringify(head.model)},"choices":[` }
    : undefined;
}
