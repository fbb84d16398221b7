import { describe, expect, it } from 'vitest';
import { dialectFor, modelDialects } from './dialect-for.ts';
import { dialectNamed } from './dialects/index.ts';

const known: Record<string, string | undefined> = {
  'Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8': 'qwen3-coder-xml',
  'qwen3-coder:30b': 'qwen3-coder-xml',
  'Qwen/Qwen3.5-122B-A10B': 'qwen3-coder-xml',
  'Qwen/Qwen3-32B': 'hermes',
  'Qwen/Qwen2.5-Coder-7B-Instruct': 'hermes',
  'NousResearch/Hermes-3-Llama-3.1-8B': 'hermes',
  'zai-org/GLM-4.5-Air': 'glm-4.5',
  'zai-org/GLM-4.7-Flash': 'glm-4.7',
  'zai-org/GLM-5.1': 'glm-4.7',
  'deepseek-ai/DeepSeek-V3-0324': 'deepseek-v3-r1',
  'deepseek-ai/DeepSeek-V3.1': 'deepseek-v3.1',
  'deepseek-ai/DeepSeek-V3.2': 'deepseek-v3.2-dsml',
  'deepseek-ai/DeepSeek-V3.2-Exp': 'deepseek-v3.1',
  'deepseek-ai/DeepSeek-V4': 'deepseek-v4-dsml',
  'deepseek-ai/DeepSeek-V4-Flash-0731': 'deepseek-v4-dsml',
  'deepseek-ai/DeepSeek-V4.1-Flash': 'deepseek-v4.1-dsml',
  'unsloth/DeepSeek-V4.1-Flash-GGUF:Q4_K_M': 'deepseek-v4.1-dsml',
  deepseek_v4_1: 'deepseek-v4.1-dsml',
  'deepseek-v4-flash-10b': 'deepseek-v4-dsml',
  'deepseek-v4-1.6t': 'deepseek-v4-dsml',
  'ai-sage/GigaChat3-10B-A1.8B': 'gigachat3',
  'ai-sage/GigaChat3.1-10B-A1.8B': 'gigachat3',
  'ai-sage/GigaChat3.5-Ultra': 'gigachat3.5-gcml',
  'moonshotai/Kimi-K2-Thinking': 'kimi-k2',
  'moonshotai/Kimi-K3': 'kimi-k3-xtml',
  'MiniMaxAI/MiniMax-M2.5': 'minimax-m2',
  'openai/gpt-oss-120b': 'harmony',
  'mistralai/Mistral-Small-3.2-24B-Instruct-2506': 'mistral-callid',
  'mistralai/Devstral-Small-2507': 'mistral-v11',
  'mistralai/Mistral-7B-Instruct-v0.3': 'mistral-array',
  'google/gemma-4-27b-it': 'gemma4',
  'meta-llama/Llama-3.3-70B-Instruct': 'llama3-json',
  'meta-llama/Llama-4-Scout-17B-16E-Instruct': 'pythonic-llama',
  'ibm-granite/granite-4.0-h-small': 'hermes',
  'ibm-granite/granite-3.3-8b-instruct': 'granite-3',
  'CohereLabs/c4ai-command-r-plus': 'cohere-r-plus',
  'CohereLabs/c4ai-command-a-03-2025': 'cohere-r7b-a',
  'Salesforce/Llama-xLAM-2-8b-fc-r': 'xlam',
  'IQuestLab/IQuest-Q1': 'iquest-q1',
  'IQuestLab/IQuest-Coder-V1-40B-Instruct': 'hermes',
  'IQuestLab/IQuest-Coder-V1-40B-Loop-Instruct': 'hermes',
  'IQuestLab/IQuest-Coder-V1-40B-Loop-Thinking': 'qwen3-coder-xml',
  'IQuestLab/IQuest-Coder-V1-7B-Instruct': 'qwen3-coder-xml',
  'IFM/K2-Horizon-7B': 'k2-horizon',
  'IFM/K2-Horizon-MoVA-36B-A4B-GGUF': 'k2-horizon',
  'upstage/Solar-Open2-250B': 'solar-open-2',
  'upstage/Solar-Open-100B': 'solar-open',
  'upstage/SOLAR-10.7B-Instruct-v1.0': undefined,
  'miromind-ai/MiroThinker-v1.5-235B': 'mirothinker',
  'meetkai/functionary-small-v2.4-GGUF': 'functionary-v2',
  'meetkai/functionary-7b-v2': 'functionary-v2',
  'meetkai/functionary-medium-v3.2': 'functionary-v3.2',
  'reflection/Beam-1.0-501B-A23B-FP8': 'beam',
  'reflection/beam': 'beam',
  'acme/beam-search-demo': undefined,
  'iflytek/Spark3-13B': 'glm-4.5',
  Spark3: 'glm-4.5',
  'SparkAudio/Spark-TTS-0.5B': undefined,
  'nvidia/DGX-Spark-3B-test': undefined,
  'Nanbeige/Nanbeige4.2-3B': 'qwen3-coder-xml',
  'nanbeige/nanbeige4.2:3b-Q4_K_M': 'qwen3-coder-xml',
  'Nanbeige/Nanbeige4.1-3B': 'hermes',
  'Nanbeige/Nanbeige4-3B-Thinking-2511': 'hermes',
  'some/unknown-model': undefined,
};

describe('dialectFor', () => {
  for (const [id, name] of Object.entries(known)) {
    it(`${id}: ${name ?? 'not known'}`, () => expect(dialectFor(id)?.name).toBe(name));
  }

  it('names only dialects that there are', () => {
    for (const [, name] of modelDialects) expect(dialectNamed(name), name).toBeDefined();
  });
});
