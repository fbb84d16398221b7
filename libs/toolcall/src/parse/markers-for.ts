import { ToolTable } from '@callsmith/turn';
import type { Dialect, ReasoningBlock } from '../dialect.ts';
import { Remembered } from '../remember.ts';
import { type MarkerEntry, MarkerSet } from './marker-set.ts';
import type { TextParserOptions } from './text-parser.ts';

/** Reasoning that no prose begins with, heard for every model. */
const unmistakableReasoning: readonly ReasoningBlock[] = [
  { open: '<think>', closes: ['</think>'], at: 'line' },
  { open: '<thinking>', closes: ['</thinking>'], at: 'line' },
  { open: '[THINK]', closes: ['[/THINK]'], at: 'line' },
  { open: '<seed:think>', closes: ['</seed:think>'], at: 'line' },
  { open: '<|START_THINKING|>', closes: ['<|END_THINKING|>'], at: 'anywhere' },
  { open: '<|channel>thought', closes: ['<channel|>'], at: 'anywhere' },
  { open: '<|open|>think<|sep|>', closes: ['<|close|>think<|sep|>'], at: 'anywhere' },
  { open: '<scratch_pad>', closes: ['</scratch_pad>'], at: 'line' },
];

/** Tokens that end a turn; a server may leave them at the end of the text. */
const turnTokens = [
  '<|im_end|>',
  '<|eot_id|>',
  '<|eom_id|>',
  '<|end_of_text|>',
  '<|endoftext|>',
  '<|end|>',
  '<|call|>',
  '<|return|>',
  '<|eot|>',
  '<|eom|>',
  '<|end_of_turn|>',
  '<end_of_turn>',
  '<turn|>',
  '<eos>',
  '</s>',
  '<｜end▁of▁sentence｜>',
  '<|end_of_sentence|>',
  '[e~[',
  '<seed:eos>',
  '<|observation|>',
  '<|message_sep|>',
  '<|END_OF_TURN_TOKEN|>',
];

/** What a model writes when it goes on with a result or a turn that is not its own. */
const resultMarkers = [
  '<tool_response>',
  '<tool_result>',
  '<function_results>',
  '<function_response>',
  '[TOOL_RESULT]',
  '[TOOL_RESULTS]',
  'Observation:',
  '<|im_start|>',
  '<|start_header_id|>',
  '<|tool_response>',
  '<｜tool▁outputs▁begin｜>',
  '<｜tool▁output▁begin｜>',
  '<｜User｜>',
  '<|user|>',
  '<start_of_turn>',
  '<start_function_response>',
  '✿RESULT✿',
  '✿RETURN✿',
  '[INST]',
];

/** Closing markers that may be left over beside a call. */
export const closingMarkers = [
  '</tool_call>',
  '</tool_calls>',
  '</function>',
  '</parameter>',
  '</function_calls>',
  '</invoke>',
  '</seed:tool_call>',
  '</minimax:tool_call>',
  '</longcat_tool_call>',
  '</TOOLCALL>',
  '[END_TOOL_REQUEST]',
  '<|tool_call_end|>',
  '<|tool_calls_section_end|>',
  '<|tool_call_section_end|>',
  '<tool_call|>',
  '<end_function_call>',
  '<｜tool▁call▁end｜>',
  '<｜tool▁calls▁end｜>',
  '</｜DSML｜invoke>',
  '</｜DSML｜function_calls>',
  '</｜DSML｜tool_calls>',
  '<|END_ACTION|>',
  '<|tools_suffix|>',
  '<|action_end|>',
  '[/TOOL_CALLS]',
];

const none = new ToolTable();
const markersWithoutTools = new Map<string, MarkerSet>();
/**
 * A tool's name is all that its opening words depend on. They take about 130 bytes for each character of a name:
 * all that are remembered take 50 MB at most.
 */
const markersByTools = new Remembered<MarkerSet>(64, 384 * 1024, () => 4_096);

/** All that is listened for. What does not depend on the tools is made once. */
export function markersFor(listening: TextParserOptions): MarkerSet {
  const { own, tools } = listening;
  const name = own?.name ?? '';
  let words = markersWithoutTools.get(name);
  if (!words) {
    words = new MarkerSet(commonMarkers(listening));
    markersWithoutTools.set(name, words);
  }
  if (tools.size === 0) return words;
  const mine = dialectsThatNameTools(listening);
  if (mine.length === 0) return words;
  const names = JSON.stringify(tools.list.map((tool) => tool.name));
  const common = words;
  return markersByTools.get(`${name}\n${names}`, () => new MarkerSet(callMarkers(listening, mine), common));
}

const dialectsNamingTools = new WeakMap<readonly Dialect[], Map<Dialect | undefined, readonly Dialect[]>>();

/** The dialects that name the tools in their opening words. */
function dialectsThatNameTools({ own, dialects }: TextParserOptions): readonly Dialect[] {
  let known = dialectsNamingTools.get(dialects);
  if (!known) dialectsNamingTools.set(dialects, (known = new Map()));
  let mine = known.get(own);
  if (!mine) {
    mine = dialects.filter((dialect) => dialect.markersNameTools && (dialect === own || !own || !dialect.ambiguous));
    known.set(own, mine);
  }
  return mine;
}

function* callMarkers({ own, tools }: TextParserOptions, dialects: readonly Dialect[]): Generator<MarkerEntry> {
  const siblings = new Set(own?.openingMarkers(tools, true).map((opener) => opener.text));
  siblings.delete('');
  for (const dialect of dialects) {
    const isOwn = dialect === own;
    if (dialect.ambiguous && !isOwn && own) continue;
    for (const opener of dialect.openingMarkers(tools, isOwn)) {
      if (opener.ambiguous && !isOwn && own) continue;
      const foreign = own !== undefined && !isOwn && !siblings.has(opener.text);
      yield { text: opener.text, at: opener.at, role: { kind: 'call', dialect, opener, own: isOwn, foreign } };
      const tag = /^<([a-zA-Z_:]+)>$/.exec(opener.text);
      if (tag) yield { text: `&lt;${tag[1]}&gt;`, at: opener.at, role: { kind: 'escaped-call' } };
    }
  }
}

/** The words that are the same for all tools; the model's own dialect first. */
function* commonMarkers(listening: TextParserOptions): Generator<MarkerEntry> {
  const { own, dialects } = listening;
  const ordered = own ? [own, ...dialects.filter((one) => one !== own)] : dialects;
  yield* callMarkers(
    { ...listening, tools: none },
    ordered.filter((dialect) => !dialect.markersNameTools),
  );
  for (const block of own?.reasoning ?? []) yield reasoning(block);
  for (const block of unmistakableReasoning) yield reasoning(block);
  for (const word of ['</think>', '[/THINK]', '</seed:think>', '<|END_THINKING|>']) {
    yield { text: word, at: 'anywhere', role: { kind: 'reasoning-close' } };
  }
  // A frame of plain words ("all", "Final Answer:") frames only where a line begins; in prose it is prose.
  for (const word of framesOf(own, dialects)) {
    yield { text: word, at: /^\p{L}/u.test(word) ? 'line' : 'anywhere', role: { kind: 'frame' } };
  }
  for (const word of closingMarkers) yield { text: word, at: 'anywhere', role: { kind: 'stray-close' } };
  for (const word of resultMarkers)
    yield {
      text: word,
      at: word.startsWith('<') || word.startsWith('[') ? 'anywhere' : 'line',
      role: { kind: 'result' },
    };
  for (const word of turnTokens) yield { text: word, at: 'anywhere', role: { kind: 'turn-token' } };
}

const reasoning = (block: ReasoningBlock): MarkerEntry => ({
  text: block.open,
  at: block.at,
  role: { kind: 'reasoning', block },
});

function framesOf(own: Dialect | undefined, dialects: readonly Dialect[]): Set<string> {
  const found = new Set(own?.frames ?? []);
  for (const dialect of dialects)
    if (!dialect.ambiguous) for (const frame of dialect.frames ?? []) if (/[|<\]]/.test(frame)) found.add(frame);
  return found;
}
