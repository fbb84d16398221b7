import { isObject, type JsonObject, type JsonValue, parseJson } from '@callsmith/turn';
import { joinFragments } from './fragments.ts';
import { toolsOf } from './message.ts';

/** A recorded request, as `GET /api/turns/:id` returns it, with the fields that its cases need. */
export interface Transcript {
  readonly turn: { readonly id: string; readonly model: string; readonly dialect: string | null };
  readonly body: {
    readonly clientRequest: string | null;
    readonly raw: readonly {
      readonly choice: number;
      readonly text: string;
      readonly reasoning: string;
      readonly fragments: readonly unknown[];
    }[];
    readonly delivered: unknown;
  };
}

/**
 * The model output of a recorded request as cases, one per choice, which `callsmith parse` and `callsmith evaluate`
 * read as JSON lines: its original text, the offered tools, and, if it made native calls, its message (which `evaluate`
 * reads). Secrets are masked in it as in the record.
 */
export function transcriptCases({ turn, body }: Transcript): JsonObject[] {
  const tools = offeredTools(body.clientRequest);
  return body.raw.map(({ choice, text, reasoning, fragments }): JsonObject => {
    const reason = reasonOf(body.delivered, choice);
    const calls = joinFragments(fragments);
    return {
      id: body.raw.length > 1 ? `${turn.id}-${choice}` : turn.id,
      group: turn.model,
      text,
      ...(tools && { tools }),
      ...(turn.dialect !== null && { dialect: turn.dialect }),
      ...(reason !== undefined && { finish_reason: reason }),
      ...(calls.length > 0 && {
        message: {
          role: 'assistant',
          content: text,
          ...(reasoning !== '' && { reasoning_content: reasoning }),
          tool_calls: calls.map((call) => ({ type: 'function', function: { ...call } })),
        },
      }),
    };
  });
}

/** The tools of a request to any API, in the form of chat completions; undefined if there were none. */
function offeredTools(clientRequest: string | null): JsonObject[] | undefined {
  const request = parseJson(clientRequest ?? '');
  if (!isObject(request) || !Array.isArray(request.tools)) return undefined;
  return toolsOf(request.tools.map(withParameters));
}

/** Anthropic's API uses another name for the schema. */
function withParameters(tool: JsonValue): JsonValue {
  if (!isObject(tool) || tool.input_schema === undefined || tool.parameters !== undefined) return tool;
  const { input_schema: parameters, ...rest } = tool;
  return { ...rest, parameters };
}

function reasonOf(delivered: unknown, choice: number): string | undefined {
  const deliveredChoice: unknown = Array.isArray(delivered) ? delivered[choice] : undefined;
  return isObject(deliveredChoice) && typeof deliveredChoice.reason === 'string' ? deliveredChoice.reason : undefined;
}
