import type { Dialect } from '../dialect.ts';
import { anthropicPrefixed } from './anthropic-prefixed.ts';
import { anthropicStyle } from './anthropic-style.ts';
import { apertus } from './apertus.ts';
import { apriel } from './apriel.ts';
import { bareJson } from './bare-json.ts';
import { beam } from './beam.ts';
import { callingTool } from './calling-tool.ts';
import { clineFlatXml } from './cline-flat-xml.ts';
import { cohereRPlus } from './cohere-r-plus.ts';
import { cohereR7bA } from './cohere-r7b-a.ts';
import { deepseekV31 } from './deepseek-v3.1.ts';
import { deepseekV32Dsml } from './deepseek-v3.2-dsml.ts';
import { deepseekV3R1 } from './deepseek-v3-r1.ts';
import { deepseekV41Dsml } from './deepseek-v4.1-dsml.ts';
import { deepseekV4Dsml } from './deepseek-v4-dsml.ts';
import { dots } from './dots.ts';
import { fencedToolCallsJson } from './fenced-tool-calls-json.ts';
import { firefunctionV2 } from './firefunction-v2.ts';
import { functionaryV2 } from './functionary-v2.ts';
import { functionaryV31 } from './functionary-v3.1.ts';
import { functionaryV32 } from './functionary-v3.2.ts';
import { functiongemma } from './functiongemma.ts';
import { gemma4 } from './gemma4.ts';
import { gigachat35Gcml } from './gigachat3.5-gcml.ts';
import { gigachat3 } from './gigachat3.ts';
import { glm45 } from './glm-4.5.ts';
import { glm47 } from './glm-4.7.ts';
import { granite3 } from './granite-3.ts';
import { granite20bFc } from './granite-20b-fc.ts';
import { harmony } from './harmony.ts';
import { hermes } from './hermes.ts';
import { hunyuanA13b } from './hunyuan-a13b.ts';
import { hunyuanV3 } from './hunyuan-v3.ts';
import { inkling } from './inkling.ts';
import { internlm2 } from './internlm2.ts';
import { iquestQ1 } from './iquest-q1.ts';
import { jamba } from './jamba.ts';
import { k2Horizon } from './k2-horizon.ts';
import { kimiK2 } from './kimi-k2.ts';
import { kimiK3Xtml } from './kimi-k3-xtml.ts';
import { llama3Json } from './llama3-json.ts';
import { lmstudioDefault } from './lmstudio-default.ts';
import { longcat } from './longcat.ts';
import { minicpm5Xml } from './minicpm5-xml.ts';
import { minimaxM2 } from './minimax-m2.ts';
import { minimaxM3 } from './minimax-m3.ts';
import { mirothinker } from './mirothinker.ts';
import { mistralArray } from './mistral-array.ts';
import { mistralCallid } from './mistral-callid.ts';
import { mistralV11 } from './mistral-v11.ts';
import { museGlimmer } from './muse-glimmer.ts';
import { nemotronToolcall } from './nemotron-toolcall.ts';
import { phi4Mini } from './phi4-mini.ts';
import { pythonicLfm2 } from './pythonic-lfm2.ts';
import { pythonicLlama } from './pythonic-llama.ts';
import { pythonicOlmo3 } from './pythonic-olmo3.ts';
import { qwenAgentLegacy } from './qwen-agent-legacy.ts';
import { qwen3CoderXml } from './qwen3-coder-xml.ts';
import { react } from './react.ts';
import { seedOss } from './seed-oss.ts';
import { solarOpen } from './solar-open.ts';
import { solarOpen2 } from './solar-open-2.ts';
import { step3 } from './step3.ts';
import { toolCode } from './tool-code.ts';
import { toolColonCall } from './tool-colon-call.ts';
import { xlam } from './xlam.ts';
import { yamlXml } from './yaml-xml.ts';

/** Every dialect, in the order in which they are tried where two share an opening marker. */
export const dialects: readonly Dialect[] = [
  qwen3CoderXml,
  hermes,
  glm45,
  glm47,
  deepseekV32Dsml,
  deepseekV4Dsml,
  deepseekV41Dsml,
  step3,
  deepseekV31,
  deepseekV3R1,
  kimiK2,
  kimiK3Xtml,
  minimaxM2,
  minimaxM3,
  beam,
  harmony,
  mistralArray,
  mistralV11,
  mistralCallid,
  gemma4,
  functiongemma,
  bareJson,
  fencedToolCallsJson,
  llama3Json,
  pythonicLlama,
  pythonicLfm2,
  pythonicOlmo3,
  seedOss,
  clineFlatXml,
  yamlXml,
  anthropicStyle,
  anthropicPrefixed,
  lmstudioDefault,
  hunyuanA13b,
  hunyuanV3,
  iquestQ1,
  k2Horizon,
  solarOpen,
  solarOpen2,
  mirothinker,
  cohereRPlus,
  cohereR7bA,
  granite3,
  granite20bFc,
  phi4Mini,
  internlm2,
  longcat,
  xlam,
  gigachat3,
  gigachat35Gcml,
  apertus,
  nemotronToolcall,
  functionaryV2,
  functionaryV31,
  functionaryV32,
  firefunctionV2,
  jamba,
  minicpm5Xml,
  apriel,
  museGlimmer,
  inkling,
  dots,
  react,
  toolColonCall,
  callingTool,
  toolCode,
  qwenAgentLegacy,
];

const byName = new Map(dialects.map((dialect) => [dialect.name, dialect]));

/** The dialect of that name; undefined for `auto` and for unknown names. */
export const dialectNamed = (name: string): Dialect | undefined => byName.get(name);
