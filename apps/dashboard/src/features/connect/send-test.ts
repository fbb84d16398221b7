/** A step of a test request; `ok` undefined: it has not ended. */
export interface TestStep {
  readonly name: string;
  readonly ok?: boolean;
  /** What was found. */
  readonly found?: string;
}

/** What a test request is sent with; `hint`: what is shown of the key whose page this is. */
export interface TestRequestInput {
  readonly secret: string;
  readonly hint: string;
  readonly model: string;
}

interface Message {
  readonly role: string;
  readonly content?: string | null;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { name: string; arguments: string } }[];
}

const TIMEOUT_MS = 120_000;

const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Tells the weather in a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};

/** Why a step failed, in words. */
class Failed extends Error {}

/**
 * Sends a request as a client does, with a tool on offer, and reports each step as it happens: key, model, call, answer. It
 * stops at the first that fails. `onProgress` is given all steps so far, `onSent` the id of each request.
 */
export async function sendTest(
  input: TestRequestInput,
  onProgress: (steps: readonly TestStep[]) => void,
  onSent: (requestId: string) => void,
): Promise<void> {
  const done: TestStep[] = [];
  const step = async <T>(name: string, work: () => Promise<readonly [found: string, result: T]>): Promise<T> => {
    onProgress([...done, { name }]);
    try {
      const [found, result] = await work();
      done.push({ name, ok: true, found });
      onProgress([...done]);
      return result;
    } catch (problem) {
      onProgress([...done, { name, ok: false, found: failureText(problem) }]);
      throw problem;
    }
  };
  try {
    const question: Message[] = [{ role: 'user', content: 'What is the weather in Zurich? Call get_weather.' }];
    await step('Key accepted', () => checkKey(input));
    const first = await step('Model reached', () => complete(input, question, onSent));
    const call = await step('Call parsed', async () => readCall(first));
    await step('Answer', async () => {
      const result = { role: 'tool', tool_call_id: call.id, content: '{"celsius":21,"sky":"clear"}' };
      const [, { content }] = await complete(input, [...question, first, result], onSent);
      if (!content) throw new Failed('The model returned no text after the tool result.');
      return [shortened(content), undefined];
    });
  } catch {
    // The step that failed was reported.
  }
}

async function checkKey({ secret, hint }: TestRequestInput): Promise<readonly [string, undefined]> {
  const reply = await send('/v1/usage?days=1', secret);
  const { key } = (await reply.json()) as { key: { hint: string; owner: string } };
  if (key.hint !== hint) throw new Failed(`You entered the key ${key.hint}; this page belongs to ${hint}.`);
  return [`${key.hint} of ${key.owner}`, undefined];
}

async function complete(
  { secret, model }: TestRequestInput,
  messages: readonly object[],
  onSent: (requestId: string) => void,
): Promise<readonly [string, Message]> {
  const begun = performance.now();
  const reply = await send('/v1/chat/completions', secret, { model, messages, tools: [weather] }, onSent);
  const body = (await reply.json()) as { choices?: readonly { message?: Message }[] };
  const message = body.choices?.[0]?.message;
  if (!message) throw new Failed('The response has no message.');
  return [`${model} answered in ${Math.round(performance.now() - begun)} ms`, message];
}

function readCall({ tool_calls: calls, content }: Message) {
  const call = calls?.[0];
  if (!call) throw new Failed(`The model called no tool. Its response: ${shortened(content ?? 'nothing')}`);
  return [`${call.function.name}(${shortened(call.function.arguments)})`, call] as const;
}

/** No cookie goes along: this is what a client sends. */
async function send(
  path: string,
  secret: string,
  body?: object,
  onSent?: (requestId: string) => void,
): Promise<Response> {
  const reply = await fetch(path, {
    method: body ? 'POST' : 'GET',
    credentials: 'omit',
    headers: { authorization: `Bearer ${secret}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const id = reply.headers.get('x-request-id');
  if (id) onSent?.(id);
  if (reply.ok) return reply;
  const { error } = ((await reply.json().catch(() => ({}))) ?? {}) as { error?: { message?: string } };
  throw new Failed(error?.message ?? `The gateway returned ${reply.status}.`);
}

function failureText(problem: unknown): string {
  if (problem instanceof Failed) return problem.message;
  if (problem instanceof DOMException && problem.name === 'TimeoutError') return 'No response within two minutes.';
  return 'The gateway is unreachable.';
}

const shortened = (text: string): string => (text.length > 300 ? `${text.slice(0, 300)}…` : text);
