import { ToolTable } from '@callsmith/turn';
import type { Dialect, Reasoning } from '../dialect.ts';
import { Remembered } from '../remember.ts';
import type { Listening } from './text-reader.ts';
import { type Meaning, type Place, Words } from './words.ts';

type Entry = { word: string; at: Place; meaning: Meaning };

/** Reasoning that no prose begins with, heard for every model. */
const unmistakable: readonly Reasoning[] = [
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
const inventions = [
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
export const closers = [
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
const withoutTools = new Map<string, Words>();
/**
 * A tool's name is all that its opening words depend on. They take about 130 bytes for each character of a name:
 * all that are remembered take 50 MB at most.
 */
const byTools = new Remembered<Words>(64, 384 * 1024, () => 4_096);

/** All that is listened for. What does not depend on the tools is made once. */
export function listenFor(listening: Listening): Words {
  const { own, tools } = listening;
  const name = own?.name ?? '';
  let words = withoutTools.get(name);
  if (!words) {
    words = new Words(commonWords(listening));
    withoutTools.set(name, words);
  }
  if (tools.size === 0) return words;
  const mine = namedByTools(listening);
  if (mine.length === 0) return words;
  const names = JSON.stringify(tools.list.map((tool) => tool.name));
  const common = words;
  return byTools.get(`${name}\n${names}`, () => new Words(callWords(listening, mine), common));
}

const openedByTools = new WeakMap<readonly Dialect[], Map<Dialect | undefined, readonly Dialect[]>>();

/** The dialects that name the tools in their opening words. */
function namedByTools({ own, dialects }: Listening): readonly Dialect[] {
  let known = openedByTools.get(dialects);
  if (!known) openedByTools.set(dialects, (known = new Map()));
  let mine = known.get(own);
  if (!mine) {
    mine = dialects.filter((dialect) => dialect.opensByTools && (dialect === own || !own || !dialect.plain));
    known.set(own, mine);
  }
  return mine;
}

function* callWords({ own, tools }: Listening, dialects: readonly Dialect[]): Generator<Entry> {
  const siblings = new Set(own?.opens(tools, true).map((opener) => opener.word));
  siblings.delete('');
  for (const dialect of dialects) {
    const isOwn = dialect === own;
    if (dialect.plain && !isOwn && own) continue;
    for (const opener of dialect.opens(tools, isOwn)) {
      if (opener.plain && !isOwn && own) continue;
      const foreign = own !== undefined && !isOwn && !siblings.has(opener.word);
      yield { word: opener.word, at: opener.at, meaning: { kind: 'call', dialect, opener, own: isOwn, foreign } };
      const tag = /^<([a-zA-Z_:]+)>$/.exec(opener.word);
      if (tag) yield { word: `&lt;${tag[1]}&gt;`, at: opener.at, meaning: { kind: 'escaped-call' } };
    }
  }
}

/** The words that are the same for all tools; the model's own dialect first. */
function* commonWords(listening: Listening): Generator<Entry> {
  const { own, dialects } = listening;
  const ordered = own ? [own, ...dialects.filter((one) => one !== own)] : dialects;
  yield* callWords(
    { ...listening, tools: none },
    ordered.filter((dialect) => !dialect.opensByTools),
  );
  for (const block of own?.reasoning ?? []) yield reasoning(block);
  for (const block of unmistakable) yield reasoning(block);
  for (const word of ['</think>', '[/THINK]', '</seed:think>', '<|END_THINKING|>']) {
    yield { word, at: 'anywhere', meaning: { kind: 'reasoning-close' } };
  }
  // A frame of plain words ("all", "Final Answer:") frames only where a line begins; in prose it is prose.
  for (const word of framesOf(own, dialects)) {
    yield { word, at: /^\p{L}/u.test(word) ? 'line' : 'anywhere', meaning: { kind: 'frame' } };
  }
  for (const word of closers) yield { word, at: 'anywhere', meaning: { kind: 'stray-close' } };
  for (const word of inventions)
    yield { word, at: word.startsWith('<') || word.startsWith('[') ? 'anywhere' : 'line', meaning: { kind: 'result' } };
  for (const word of turnTokens) yield { word, at: 'anywhere', meaning: { kind: 'turn-token' } };
}

const reasoning = (block: Reasoning): Entry => ({
  word: block.open,
  at: block.at,
  meaning: { kind: 'reasoning', block },
});

function framesOf(own: Dialect | undefined, dialects: readonly Dialect[]): Set<string> {
  const found = new Set(own?.frames ?? []);
  for (const dialect of dialects)
    if (!dialect.plain) for (const frame of dialect.frames ?? []) if (/[|<\]]/.test(frame)) found.add(frame);
  return found;
}
