import type { Dialect } from './dialect.ts';
import { dialectNamed } from './dialects/index.ts';

/** Maps model ids to dialects. The first pattern that matches decides; ids are compared in lower case. */
export const modelDialects: readonly (readonly [pattern: RegExp, dialect: string])[] = [
  [/qwen-?3[._-]?coder|qwen-?3\.[5-9]|qwen3-next-coder|qwen-?4/, 'qwen3-coder-xml'],
  [/nemotron[._-]?3|nemotron-(nano|super)-3|step-?3\.5|mimo-v2|k-?exaone-?2/, 'qwen3-coder-xml'],
  [/nemotron.*(nano.*v2|ultra)|nemotron-nano-9b/, 'nemotron-toolcall'],
  [/glm-?(4\.7|[5-9])|zai-glm-?[5-9]/, 'glm-4.7'],
  [/glm-?4\.[56]|glm-?4-moe|laguna|poolside|ling-?3/, 'glm-4.5'],
  [/deepseek.*v-?4[.-]1(?![\d.b])/, 'deepseek-v4.1-dsml'],
  [/deepseek.*v-?4/, 'deepseek-v4-dsml'],
  [/deepseek.*v-?3\.2-exp|deepseek.*v-?3[._-]?1|deepseek.*terminus/, 'deepseek-v3.1'],
  [/deepseek.*v-?3\.2/, 'deepseek-v3.2-dsml'],
  [/deepseek-?r1-distill/, 'hermes'],
  [/deepseek|cogito/, 'deepseek-v3-r1'],
  [/kimi.*k-?3/, 'kimi-k3-xtml'],
  [/kimi|moonlight/, 'kimi-k2'],
  [/minimax.*m-?3/, 'minimax-m3'],
  [/minimax/, 'minimax-m2'],
  [/gpt-?oss|harmony/, 'harmony'],
  [/(mistral-small-?(3\.2|2506)|magistral.*2507)/, 'mistral-callid'],
  [
    /devstral|magistral|ministral-?3|mistral-?(medium|large)-?3|mistral-small-?(3\.1|2503|4)|codestral-?25|mistral-large-?2411/,
    'mistral-v11',
  ],
  [/mistral|mixtral|ministral|codestral|pixtral/, 'mistral-array'],
  [/function-?gemma/, 'functiongemma'],
  [/gemma-?4/, 'gemma4'],
  [/gemma/, 'tool-code'],
  [/llama-?4|toolace/, 'pythonic-llama'],
  [/xlam/, 'xlam'],
  [/functionary.*-v2(?:\.[0-4])?(?![\d.])/, 'functionary-v2'],
  [/functionary.*v?3\.1/, 'functionary-v3.1'],
  [/functionary/, 'functionary-v3.2'],
  [/fire-?function/, 'firefunction-v2'],
  [/(hermes|nous)/, 'hermes'],
  [/llama-?3/, 'llama3-json'],
  [/lfm-?2/, 'pythonic-lfm2'],
  [/olmo-?3/, 'pythonic-olmo3'],
  [/seed-?oss/, 'seed-oss'],
  [/hunyuan.*a13b/, 'hunyuan-a13b'],
  [/hunyuan|\bhy-?3/, 'hunyuan-v3'],
  [/step-?3/, 'step3'],
  [/command-?r-?plus|c4ai-command-r-v01|command-r(-\d+)?$/, 'cohere-r-plus'],
  [/command-?(r7b|a)|cohere/, 'cohere-r7b-a'],
  [/granite.*20b/, 'granite-20b-fc'],
  [/granite-?4|granite.*-4\./, 'hermes'],
  [/granite/, 'granite-3'],
  [/phi-?4-?mini/, 'phi4-mini'],
  [/intern(lm|-?s1)/, 'internlm2'],
  [/longcat/, 'longcat'],
  [/giga-?chat-?3[.-]5(?![\db])/, 'gigachat3.5-gcml'],
  [/giga-?chat/, 'gigachat3'],
  [/apertus/, 'apertus'],
  [/jamba/, 'jamba'],
  [/minicpm-?5/, 'minicpm5-xml'],
  [/apriel/, 'apriel'],
  [/muse|glimmer/, 'muse-glimmer'],
  [/inkling/, 'inkling'],
  [/\bdots\b/, 'dots'],
  [/iquest.*q-?1(?!\d)/, 'iquest-q1'],
  // https://github.com/IQuestLab/IQuest-Coder-V1/issues/15
  [/iquest-?coder.*40b-(loop-)?instruct/, 'hermes'],
  [/iquest-?coder/, 'qwen3-coder-xml'],
  [/k2-?horizon/, 'k2-horizon'],
  [/solar-?open-?2(?!\d)/, 'solar-open-2'],
  [/solar-?open/, 'solar-open'],
  [/mirothinker/, 'mirothinker'],
  [/(?:^|\/)beam(?:-\d|$|:)/, 'beam'],
  // vLLM's parser `spark3`
  [/(?:^|\/)(?:iflytek-?)?spark-?3(?!\d)/, 'glm-4.5'],
  // its chat template: tags are the default since 4.2
  [/nanbeige-?(4\.[2-9]|[5-9])/, 'qwen3-coder-xml'],
  [/nanbeige/, 'hermes'],
  [/qwen-?1\.5|qwen-?2(?!\.5|\d)/, 'qwen-agent-legacy'],
  [/qwen|qwq|smollm3|bielik|reka|trinity|ernie|mimo|exaone/, 'hermes'],
];

/**
 * The dialect of a model id, which may hold a path (`org/model`) and a quantization; undefined if no pattern matches.
 */
export function dialectFor(modelId: string): Dialect | undefined {
  const id = modelId.toLowerCase().replaceAll('_', '-');
  const row = modelDialects.find(([pattern]) => pattern.test(id));
  return row && dialectNamed(row[1]);
}
