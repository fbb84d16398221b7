import { isObject, type JsonObject, type JsonValue } from '@callsmith/turn';

/** One request to a server's own tokenizer, under the server's root, and what its reply says. */
export interface TokenizerRequest {
  readonly path: string;
  readonly body: JsonObject;
  /** A count; a further request that leads to it; undefined: the reply says nothing. */
  readonly read: (reply: JsonValue) => TokenCount | TokenizerRequest | undefined;
  /** What is asked instead of a server that does not know this route. */
  readonly fallback?: TokenizerRequest;
}

/** What a server's tokenizer counted. */
export interface TokenCount {
  readonly tokens: number;
  /** The context of the model as it is served, where the server tells it. */
  readonly context?: number;
}

/** How a kind of model server counts tokens. */
export interface Tokenizer {
  /** Of a prompt, with the model's template. `body`: a request to its chat API. */
  readonly prompt: (body: JsonObject) => TokenizerRequest;
  /** Of text that the model wrote. */
  readonly text: (model: JsonValue | undefined, text: string) => TokenizerRequest;
}

// https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html (Tokenizer API): {"count":7,"max_model_len":4096,"tokens":[…]}
export const vllmTokenizer: Tokenizer = {
  prompt: ({ model, messages, tools }) =>
    vllmRequest({ model, messages, ...(tools !== undefined && { tools }), add_generation_prompt: true }),
  text: (model, text) => vllmRequest({ model, prompt: text, add_special_tokens: false }),
};

const vllmRequest = (body: JsonObject): TokenizerRequest => ({
  path: '/tokenize',
  body,
  read: (reply) => {
    if (!isObject(reply) || typeof reply.count !== 'number') return undefined;
    const { count: tokens, max_model_len: context } = reply;
    return { tokens, ...(typeof context === 'number' && context > 0 && { context }) };
  },
});

// https://github.com/ggml-org/llama.cpp/tree/master/tools/server: /apply-template {"prompt":"…"}, /tokenize {"tokens":[…]}
export const llamacppTokenizer: Tokenizer = {
  prompt: ({ model, messages, tools }) => ({
    path: '/apply-template',
    body: { model, messages, ...(tools !== undefined && { tools }) },
    read: (reply) =>
      isObject(reply) && typeof reply.prompt === 'string' ? llamacppRequest(model, reply.prompt, true) : undefined,
    // Before it had the route; what the template adds is missing then.
    fallback: llamacppRequest(model, textsIn(messages), true),
  }),
  text: (model, text) => llamacppRequest(model, text, false),
};

const llamacppRequest = (model: JsonValue | undefined, content: string, special: boolean): TokenizerRequest => ({
  path: '/tokenize',
  body: { model, content, add_special: special, parse_special: special },
  read: (reply) => (isObject(reply) && Array.isArray(reply.tokens) ? { tokens: reply.tokens.length } : undefined),
});

/** All text of a conversation. */
function textsIn(messages: JsonValue | undefined): string {
  const texts: string[] = [];
  for (const message of Array.isArray(messages) ? messages : []) {
    const content = isObject(message) ? message.content : undefined;
    if (typeof content === 'string') texts.push(content);
    else
      for (const part of Array.isArray(content) ? content : [])
        if (isObject(part) && typeof part.text === 'string') texts.push(part.text);
  }
  return texts.join('\n');
}
