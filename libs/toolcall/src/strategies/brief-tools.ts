import { isObject, type JsonObject, type Message, type Tool, ToolTable, type Turn, textOf } from '@callsmith/turn';
import { ContentCache } from '../content-cache.ts';
import { ToolRanking } from './rank-tools.ts';
import { firstSentence } from './short-tools.ts';

/** Which tools are always shown in full. */
export interface BriefToolsOptions {
  /** All of them, if no more than this are offered. */
  readonly above: number;
  /** Names of tools that always are. */
  readonly pinned: readonly string[];
}

/** The offered tools, of which some are shown in brief. */
export interface BriefTools {
  readonly tools: ToolTable;
  /** Names of the brief ones. */
  readonly brief: ReadonlySet<string>;
  /** Characters that the short forms save. */
  readonly savedCharacters: number;
}

/** Maximum tools that a user message's ranking shows in full. */
const mostRanked = 8;
/** Characters at each end of a user message that are searched for tool names, and that rank tools. */
const longestNaming = 16_384;
const longestRanking = 4096;
/** Characters of each of the two answers before it that rank tools too. */
const longestAnswer = 2048;

/** The schema that a server gets for a tool that is shown in brief: any arguments are accepted. */
const anyParameters: JsonObject = { type: 'object', properties: {}, additionalProperties: true };

/**
 * The tools of a turn. Those that it probably does not need are shown by name and first sentence; their schema follows
 * when a call does not satisfy it. Shown in full are the pinned ones, those that were called, the one that
 * `tool_choice` names, and for each user message those that it names or that best match it and the two answers before
 * it. So a tool once shown in full stays so as the conversation grows, the order is the client's, and between two user
 * messages only the first call of a tool changes anything. Undefined: all are shown in full.
 */
export function* briefToolsInSteps(
  turn: Turn,
  { above, pinned }: BriefToolsOptions,
): Generator<undefined, BriefTools | undefined> {
  const { tools, toolChoice, messages } = turn;
  if (tools.size <= above) return undefined;
  const whole = new Set(pinned);
  if (typeof toolChoice === 'object') whole.add(toolChoice.name);
  const picker = pickers.get(JSON.stringify(tools.list), () => new ToolPicker(tools));
  const answers: string[] = [];
  for (const message of messages) {
    if (message.role === 'assistant') {
      for (const { name } of message.calls) whole.add(name);
      const text = textOf(message.content);
      if (text !== '') answers.push(text.slice(-longestAnswer));
    } else if (message.role === 'user') {
      yield;
      for (const name of picker.pick(userText(message), answers.splice(0).slice(-2))) whole.add(name);
    }
  }
  return inBrief(tools, whole);
}

/** The text of a user message; only both ends if it is long. */
function userText({ content }: Message): string {
  const text = textOf(content);
  return text.length <= 2 * longestNaming ? text : `${text.slice(0, longestNaming)}\n${text.slice(-longestNaming)}`;
}

function inBrief(tools: ToolTable, whole: ReadonlySet<string>): BriefTools | undefined {
  const brief = new Set<string>();
  let saved = 0;
  const list = tools.list.map((tool): Tool => {
    if (whole.has(tool.name) || tool.strict === true || !hasParameters(tool)) return tool;
    const short = briefTool(tool);
    const less = lengthOf(tool) - lengthOf(short);
    if (less <= 0) return tool;
    brief.add(tool.name);
    saved += less;
    return short;
  });
  return brief.size === 0 ? undefined : { tools: new ToolTable(list, tools.only), brief, savedCharacters: saved };
}

const briefTool = ({ strict: _, ...tool }: Tool): Tool => ({
  ...tool,
  ...(tool.description !== undefined && { description: firstSentence(tool.description) }),
  parameters: anyParameters,
  brief: true,
});

const hasParameters = ({ parameters }: Tool): boolean =>
  parameters !== undefined && !(isObject(parameters.properties) && Object.keys(parameters.properties).length === 0);

/** Characters of the parts that differ: the description, and the schema unless it is left out. */
const lengthOf = ({ description = '', parameters = {}, brief }: Tool): number =>
  description.length + (brief ? 0 : JSON.stringify(parameters).length);

/** Punctuation of a sentence beside a name. */
const around = /^[.:/@$-]+|[.:/@$-]+$/g;

/** Finds the tools that a user message may need. */
class ToolPicker {
  private readonly names: ReadonlyMap<string, string>;
  private readonly ranking: ToolRanking;
  private readonly picked = new ContentCache<readonly string[]>(256, 512 * 1024, (names) => names.join().length);

  constructor({ list }: ToolTable) {
    this.names = new Map(list.map(({ name }) => [name.toLowerCase(), name]));
    this.ranking = new ToolRanking(list);
  }

  /** The tools for a message and the answers before it; cached by their texts. */
  pick(text: string, answers: readonly string[]): readonly string[] {
    return this.picked.get([text, ...answers].join('\n\n'), () => [
      ...this.namedIn(text),
      ...this.ranking.best([...endsOf(text, longestRanking), ...answers].join('\n'), mostRanked),
    ]);
  }

  private namedIn(text: string): string[] {
    // split at what no name contains, so that a name inside a longer one does not match
    const words = new Set(text.toLowerCase().match(/[\p{L}\p{N}_.:/@$-]+/gu));
    return [...words].flatMap((word) => this.names.get(word) ?? this.names.get(word.replace(around, '')) ?? []);
  }
}

const endsOf = (text: string, length: number): string[] =>
  text.length <= 2 * length ? [text] : [text.slice(0, length), text.slice(-length)];

/** Keyed by the tools as JSON. */
const pickers = new ContentCache<ToolPicker>(16, 16 * 1024 * 1024, () => 1024 * 1024);
