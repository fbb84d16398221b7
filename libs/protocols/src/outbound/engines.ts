import type { UpstreamKind } from '@callsmith/turn';
import type { OutboundName } from '../outbound-adapter.ts';
import { engineOnly, serviceOnly } from './parameter-names.ts';
import { llamacppTokenizer, type Tokenizer, vllmTokenizer } from './tokenizers.ts';

/** What servers call the reasoning of a message. */
type ReasoningMember = 'reasoning' | 'reasoning_content';

/** How a kind of model server differs from the others: all that is known of it beside what it says when it fails. */
export interface Engine {
  /** Parameters that it cannot take. Engines that ignore what they do not know get what the client sent. */
  readonly refuses: ReadonlySet<string>;
  /** It knows the bound of an answer as `max_tokens` only. */
  readonly maxTokensOnly: boolean;
  /** It has the role `developer`; elsewhere that is `system`. */
  readonly developerRole: boolean;
  /** Its chat templates look into a tool's parameters without asking whether it has any. */
  readonly needsParameters: boolean;
  /** It takes content as one string only. */
  readonly plainContent: boolean;
  /** The members in which it reads past reasoning, whatever the client calls it. */
  readonly pastReasoning: readonly ReasoningMember[];
  /** It gets past reasoning only for models that are set to have it back: OpenAI's own service refuses it. */
  readonly reasoningWhereKept: boolean;
  /** What of a message's further members it takes: all that a template may read, or only a refusal and audio. */
  readonly messageMembers: 'all' | 'service';
  /** It takes files, as a PDF document is one. */
  readonly files: boolean;
  /** It acts on `cache_control` of parts, or passes it on to a server that does. */
  readonly cacheControl: boolean;
  /** It takes OpenAI's own flat `metadata`; elsewhere such a member steers routers. */
  readonly metadata: boolean;
  /** How its own tokenizer is asked. Absent: it has none that counts whole prompts (SGLang's counts text only). */
  readonly tokenizer?: Tokenizer;
  /** An API of its own that says more than OpenAI's. */
  readonly ownApi?: OutboundName;
  /** The API on which it keeps more apart, for clients whose own API has room for it. */
  readonly richerApi?: OutboundName;
}

/**
 * For servers of which versions differ: vLLM hands its templates `reasoning` since 0.11.1 and dropped the other name for a
 * time; the services behind a common API have each its own. A member that a server does not know it leaves unread.
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
    // The other one loses its context length, how long it is kept, and what some samplers are told.
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
    // OpenAI's own service does not; that is learned from its refusal.
    cacheControl: true,
    metadata: true,
  },
};
