import type { ChatTemplate } from '../dialect.ts';

/** `<|im_start|>user⏎…<|im_end|>`: Qwen, Hermes, InternLM, LFM2 and most fine-tunes */
export const chatml: ChatTemplate = { turnStarts: ['<|im_start|>'], turnEnds: ['<|im_end|>', '<|endoftext|>'] };

/** `<|start_header_id|>user<|end_header_id|>⏎⏎…<|eot_id|>`: Llama 3 */
export const llama3Template: ChatTemplate = {
  turnStarts: ['<|start_header_id|>'],
  turnEnds: ['<|eot_id|>', '<|eom_id|>', '<|end_of_text|>'],
  others: ['<|end_header_id|>', '<|begin_of_text|>'],
};

/** `…<|eot|>`, `…<|eom|>`: Llama 4 and Muse Glimmer */
export const llama4Template: ChatTemplate = { turnEnds: ['<|eot|>', '<|eom|>'] };

/** `<s>[INST]…[/INST]…</s>`: Mistral */
export const mistralTemplate: ChatTemplate = {
  turnStarts: ['[INST]'],
  turnEnds: ['</s>'],
  others: ['[/INST]', '[SYSTEM_PROMPT]', '[/SYSTEM_PROMPT]', '<s>'],
};

/** `<｜User｜>…<｜Assistant｜>…<｜end▁of▁sentence｜>`: DeepSeek */
export const deepseekTemplate: ChatTemplate = {
  turnStarts: ['<｜User｜>'],
  turnEnds: ['<｜end▁of▁sentence｜>'],
  others: ['<｜Assistant｜>', '<｜begin▁of▁sentence｜>'],
};

/** `<|start|>user<|message|>…<|end|>`: gpt-oss */
export const harmonyTemplate: ChatTemplate = {
  turnEnds: ['<|end|>', '<|call|>', '<|return|>'],
  others: ['<|start|>', '<|channel|>', '<|message|>', '<|constrain|>'],
};

/** `<|user|>…<|assistant|>…<|observation|>`: GLM */
export const glmTemplate: ChatTemplate = {
  turnStarts: ['<|user|>'],
  turnEnds: ['<|observation|>', '<|endoftext|>'],
  others: ['<|system|>', '<|assistant|>'],
};

/** `<|user|>…<|end|><|assistant|>…<|end|>`: Phi */
export const phiTemplate: ChatTemplate = {
  turnStarts: ['<|user|>'],
  turnEnds: ['<|end|>', '<|endoftext|>'],
  others: ['<|system|>', '<|assistant|>'],
};

/** `<|im_user|>user<|im_middle|>…<|im_end|>`: Kimi */
export const kimiTemplate: ChatTemplate = {
  turnEnds: ['<|im_end|>'],
  others: ['<|im_system|>', '<|im_user|>', '<|im_assistant|>', '<|im_middle|>'],
};

/** `<start_of_turn>user⏎…<end_of_turn>`: Gemma; Gemma 4 ends a turn with `<turn|>` */
export const gemmaTemplate: ChatTemplate = {
  turnStarts: ['<start_of_turn>'],
  turnEnds: ['<end_of_turn>', '<turn|>', '<eos>'],
  others: ['<bos>'],
};

/** `<|START_OF_TURN_TOKEN|>…<|END_OF_TURN_TOKEN|>`: Cohere */
export const cohereTemplate: ChatTemplate = {
  turnEnds: ['<|END_OF_TURN_TOKEN|>'],
  others: ['<|START_OF_TURN_TOKEN|>'],
};

/** `<|start_of_role|>user<|end_of_role|>…<|end_of_text|>`: Granite */
export const graniteTemplate: ChatTemplate = {
  turnEnds: ['<|end_of_text|>'],
  others: ['<|start_of_role|>', '<|end_of_role|>'],
};

/** `<seed:bos>user⏎…<seed:eos>`: Seed-OSS */
export const seedTemplate: ChatTemplate = { turnEnds: ['<seed:eos>'], others: ['<seed:bos>'] };

/** `user<|role_sep|>⏎…<|message_sep|>`: GigaChat */
export const gigachatTemplate: ChatTemplate = { turnEnds: ['<|message_sep|>'], others: ['<|role_sep|>'] };

/** `]~b]user⏎…[e~[`: MiniMax */
export const minimaxTemplate: ChatTemplate = { turnEnds: ['[e~['], others: [']~b]'] };

/** `<|from|>user⏎<|recipient|>all⏎<|content|>…`; an answer ends with `<|stop|>`: Functionary v2 */
export const functionaryV2Template: ChatTemplate = {
  turnStarts: ['<|from|>user', '<|from|>system'],
  turnEnds: ['<|stop|>'],
  others: ['<|content|>'],
};

/** `<|begin|>user<|content|>…<|end|>`: Solar Open */
export const solarOpenTemplate: ChatTemplate = {
  turnStarts: ['<|begin|>user'],
  turnEnds: ['<|end|>', '<|flush|>', '<|calls|>'],
  others: ['<|begin|>', '<|tool_calls|>'],
};

/** `<|im:start|>user<|im:content|>…<|im:end|>`: Solar Open 2 */
export const solarOpen2Template: ChatTemplate = {
  turnStarts: ['<|im:start|>user'],
  turnEnds: ['<|im:end|>'],
  others: ['<|im:start|>', '<|im:content|>'],
};

/** `<|iquest_user|>…<|iquest_end|><|iquest_assistant|>`: IQuest */
export const iquestTemplate: ChatTemplate = {
  turnStarts: ['<|iquest_user|>'],
  turnEnds: ['<|iquest_end|>', '<|endoftext|>'],
  others: ['<|iquest_system|>', '<|iquest_developer|>', '<|iquest_assistant|>'],
};

/** `<|ifm|im_start|>user⏎…<|ifm|im_end|>`: K2 Horizon */
export const ifmTemplate: ChatTemplate = {
  turnStarts: ['<|ifm|im_start|>'],
  turnEnds: ['<|ifm|im_end|>', '<|ifm|endoftext|>'],
  others: ['<|ifm|begin_of_text|>'],
};

/** Templates of models that write calls in a dialect of another family: Llama 2, OpenChat, ERNIE. */
export const templatesWithoutDialect: readonly ChatTemplate[] = [
  { turnStarts: ['[INST]'], turnEnds: ['</s>'], others: ['<<SYS>>', '<</SYS>>'] },
  { turnEnds: ['<|end_of_turn|>'] },
  { turnEnds: ['<|end_of_sentence|>'] },
];

/** Every known chat template. */
export const chatTemplates: readonly ChatTemplate[] = [
  chatml,
  llama3Template,
  llama4Template,
  mistralTemplate,
  deepseekTemplate,
  harmonyTemplate,
  glmTemplate,
  phiTemplate,
  kimiTemplate,
  gemmaTemplate,
  cohereTemplate,
  graniteTemplate,
  seedTemplate,
  gigachatTemplate,
  minimaxTemplate,
  functionaryV2Template,
  solarOpenTemplate,
  solarOpen2Template,
  iquestTemplate,
  ifmTemplate,
  ...templatesWithoutDialect,
];
