import type { TurnDetail } from '@callsmith/contracts';

type Body = NonNullable<TurnDetail['body']>;

/** A text as one word of a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * A command that sends a recorded request again to the gateway at `origin`. The key is read from a variable: the record
 * has none.
 */
export const curlOf = (origin: string, route: string, clientRequest: string): string =>
  [
    `curl ${quoted(origin + route)}`,
    `-H "Authorization: Bearer $CALLSMITH_API_KEY"`,
    `-H 'Content-Type: application/json'`,
    `--data-binary ${quoted(clientRequest)}`,
  ].join(' \\\n  ');

/** Lines for `callsmith parse`, one a choice: the text as the model wrote it, with the tools that were on offer. */
export function parseCasesOf({ turn, body }: { turn: TurnDetail['turn']; body: Body }): string {
  const tools = toolsOf(body.clientRequest);
  const reasons = reasonsOf(body.delivered);
  return body.raw
    .map(({ choice, text }) =>
      JSON.stringify({
        id: body.raw.length > 1 ? `${turn.id}-${choice}` : turn.id,
        text,
        ...(tools && { tools }),
        ...(turn.dialect && { dialect: turn.dialect }),
        ...(reasons[choice] && { finish_reason: reasons[choice] }),
      }),
    )
    .join('\n');
}

/** The tools of a request in the form of chat completions. */
function toolsOf(clientRequest: string | null): readonly unknown[] | undefined {
  const request = parsed(clientRequest ?? '') as { tools?: unknown } | null | undefined;
  if (!Array.isArray(request?.tools)) return undefined;
  return request.tools.map((tool: { input_schema?: unknown; parameters?: unknown } | null) => {
    if (tool?.input_schema === undefined || tool.parameters !== undefined) return tool;
    // Anthropic's API calls the schema by another name.
    const { input_schema: parameters, ...rest } = tool;
    return { ...rest, parameters };
  });
}

function reasonsOf(delivered: unknown): readonly (string | undefined)[] {
  if (!Array.isArray(delivered)) return [];
  return delivered.map((choice: { reason?: unknown } | null) =>
    typeof choice?.reason === 'string' ? choice.reason : undefined,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
