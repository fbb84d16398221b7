import type { UpstreamKind } from '@callsmith/turn';
import type { OutboundName } from '../outbound-adapter.ts';
import { engineOnly, serviceOnly } from './parameter-names.ts';
import { llamacppTokenizer, type Tokenizer, vllmTokenizer } from './tokenizers.ts';

/** The servers' names for the reasoning of a message. */
type ReasoningMember = 'reasoning' | 'reasoning_content';

/** How a kind of model server differs from the others: everything except its error messages. */
export interface Engine {
  /** Parameters that it refuses. Engines that ignore unknown parameters get what the client sent. */
  readonly refuses: ReadonlySet<string>;
  /** It accepts the token limit as `max_tokens` only. */
  readonly maxTokensOnly: boolean;
  /** It supports the role `developer`; elsewhere that is `system`. */
  readonly developerRole: boolean;
  /** Its chat templates access a tool's parameters without checking that they exist. */
  readonly needsParameters: boolean;
  /** It accepts content as one string only. */
  readonly plainContent: boolean;
  /** The fields in which it reads past reasoning, whatever the client calls it. */
  readonly pastReasoning: readonly ReasoningMember[];
  /** It gets past reasoning only for models whose setting says so: OpenAI's own service refuses it. */
  readonly reasoningWhereKept: boolean;
  /** Which further members of a message it accepts: all that a template may read, or only a refusal and audio. */
  readonly messageMembers: 'all' | 'service';
  /** It accepts files, such as a PDF document. */
  readonly files: boolean;
  /** It uses `cache_control` of parts, or passes it on to a server that does. */
  readonly cacheControl: boolean;
  /** It accepts OpenAI's own flat `metadata`; elsewhere such a member steers routers. */
  readonly metadata: boolean;
  /** How its tokenizer is used. Undefined: it has none that counts whole prompts (SGLang's counts only text). */
  readonly tokenizer?: Tokenizer;
  /** Its own API with more features than OpenAI's. */
  readonly ownApi?: OutboundName;
  /** The API that keeps more apart, for clients whose own API supports that. */
  readonly richerApi?: OutboundName;
}

/**
 * For servers whose versions differ: vLLM passes `reasoning` to its templates since 0.11.1 and dropped the other name
 * for a time; the services behind a common API each have their own. A server ignores unknown members.
 */
const eitherMember = ['reasoning_content', 'reasoning'] as const;

const local: Engine = {
  refuses: new Set(serviceOnly),
  maxTokensOnly: false,
  developerRole: false,
  needsParameters: true,
  plainContent: false,
  pastReasoning: ['reasoning_content'],
  reasoningWhereKept: false,
  messageMembers: 'all',
  files: false,
  cacheControl: false,
  metadata: false,
};

export const engines: Readonly<Record<UpstreamKind, Engine>> = {
  vllm: { ...local, tokenizer: vllmTokenizer, pastReasoning: eitherMember },
  sglang: local,
  llamacpp: { ...local, tokenizer: llamacppTokenizer, refuses: new Set([...serviceOnly, 'user']), maxTokensOnly: true },
  ollama: {
    ...local,
    refuses: new Set([...serviceOnly, 'user', 'tool_choice', 'parallel_tool_calls', 'n', 'logit_bias']),
    maxTokensOnly: true,
    plainContent: true,
    pastReasoning: ['reasoning'],
    // The other API loses its context length, its keep-alive time, and some samplers' parameters.
    ownApi: 'ollama-chat',
  },
  lmstudio: {
    ...local,
    refuses: new Set([...serviceOnly, 'user', 'parallel_tool_calls', 'n']),
    maxTokensOnly: true,
    pastReasoning: eitherMember,
    // It keeps a model's reasoning apart there.
    richerApi: 'openai-responses',
  },
  openai: {
    refuses: new Set(engineOnly),
    maxTokensOnly: false,
    developerRole: true,
    needsParameters: false,
    plainContent: false,
    pastReasoning: eitherMember,
    reasoningWhereKept: true,
    messageMembers: 'service',
    files: true,
    // OpenAI's own service refuses it; that is learned from its error.
    cacheControl: true,
    metadata: true,
  },
};
