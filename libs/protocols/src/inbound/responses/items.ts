import { type Approval, isObject, type JsonObject, type JsonValue, type Message, type PastCall } from '@callsmith/turn';
import { boundedList, invalidValue } from '../../checks.ts';
import { namespacedToolName } from '../../tools.ts';
import { reasoningIn } from '../reasoning-signature.ts';
import { calledTool, clientResult, isClientResult } from './client-tools.ts';
import { contentOf, outputOf, textsOf } from './parts.ts';
import { callId, mcpResult, pastCall, pastMcpCall } from './past-call.ts';
import type { LoadedTool } from './tools.ts';

/** A conversation read from input items. */
export interface ReadItems {
  readonly messages: readonly Message[];
  /** For each message, the path of the item that it began with. */
  readonly paths: readonly string[];
  /** What the client says to calls that waited for its approval. */
  readonly approvals: readonly Approval[];
  /** Items that no model server takes. */
  readonly dropped: readonly string[];
  /** Tools that are on offer since a search found them, or since the client added them. */
  readonly loaded: readonly LoadedTool[];
}

/** Reads `input`: a string, or items of any kind that real clients send. */
export function readInput(input: JsonValue | undefined, most: number): ReadItems {
  if (typeof input === 'string')
    return { messages: [{ role: 'user', content: input }], paths: ['input'], dropped: [], approvals: [], loaded: [] };
  if (!Array.isArray(input)) throw invalidValue('input', input, 'a string or an array of items');
  if (input.length > most) throw invalidValue('input', input.length, `at most ${most} items`);
  const parser = new ItemParser(approvedIn(input), most);
  for (const [index, item] of input.entries()) parser.item(item, `input[${index}]`);
  return parser.done();
}

type Assistant = Extract<Message, { role: 'assistant' }>;

/** Joins what the API keeps in items of their own: one answer's reasoning, text and calls are one message. */
class ItemParser {
  /** `ran`: ids of approved calls that have run, whose items follow. */
  constructor(
    private readonly ran: ReadonlySet<JsonValue | undefined>,
    private readonly most: number,
  ) {}

  private readonly messages: Message[] = [];
  private readonly paths: string[] = [];
  private readonly dropped: string[] = [];
  private readonly approvals: Approval[] = [];
  private readonly loaded: LoadedTool[] = [];
  private answer: { message: Assistant; path: string } | undefined;

  done(): ReadItems {
    this.close();
    const { messages, paths, dropped, approvals, loaded } = this;
    return { messages, paths, dropped, approvals, loaded };
  }

  item(item: JsonValue, path: string): void {
    if (!isObject(item)) throw invalidValue(path, item, 'an item object');
    switch (item.type ?? 'message') {
      case 'message':
        this.message(item, path);
        return;
      case 'reasoning':
        this.reasoning(item, path);
        return;
      case 'function_call':
      case 'custom_tool_call':
        this.call(pastCall(item, path), path);
        return;
      case 'function_call_output':
      case 'custom_tool_call_output':
        this.add({ role: 'tool', callId: callId(item, path), content: outputOf(item.output, `${path}.output`) }, path);
        return;
      case 'mcp_list_tools':
        return;
      case 'mcp_call': {
        const call = pastMcpCall(item, path);
        this.call(call, path);
        this.add({ role: 'tool', callId: call.id, content: mcpResult(item) }, path);
        return;
      }
      case 'mcp_approval_request':
        if (!this.ran.has(item.id)) this.call(pastMcpCall(item, path), path);
        return;
      case 'mcp_approval_response':
        if (!this.ran.has(item.approval_request_id)) this.approval(item, path);
        return;
      case 'tool_search_output':
        this.found(item, path);
        return;
      case 'additional_tools':
        this.load(item, path);
        return;
      case 'tool_search_call':
        // A search that a server ran is over; what it found follows.
        if (typeof item.call_id === 'string') this.call(pastCall(item, path), path);
        return;
      case 'item_reference':
        throw invalidValue(
          `${path}.id`,
          item.id,
          'the item itself, because items of earlier responses are not stored one by one; send previous_response_id or the item',
        );
      default:
        if (typeof item.type !== 'string') throw invalidValue(`${path}.type`, item.type, 'a string such as "message"');
        if (calledTool(item.type)) {
          this.call(pastCall(item, path), path);
          return;
        }
        if (isClientResult(item.type)) {
          const content = outputOf(clientResult(item), `${path}.output`);
          this.add({ role: 'tool', callId: callId(item, path), content }, path);
          return;
        }
        this.dropped.push(`${path} (${item.type.slice(0, 64)})`);
    }
  }

  private message(item: JsonObject, path: string): void {
    switch (item.role) {
      case 'system':
      case 'developer':
      case 'user':
        this.add({ role: item.role, content: contentOf(item.content, `${path}.content`) }, path);
        return;
      case 'assistant': {
        const content = contentOf(item.content, `${path}.content`);
        const open = this.answer;
        if (open && open.message.content === null && open.message.calls.length === 0)
          open.message = { ...open.message, content };
        else this.begin({ role: 'assistant', content, calls: [] }, path);
        return;
      }
      default:
        throw invalidValue(`${path}.role`, item.role, 'one of "system", "developer", "user", "assistant"');
    }
  }

  private reasoning(item: JsonObject, path: string): void {
    const shown = [...textsOf(item.summary), ...textsOf(item.content)].join('\n\n');
    // Some clients send back nothing but what they cannot read.
    const text = shown === '' ? (carriedReasoning(item) ?? '') : shown;
    if (text !== '') this.begin({ role: 'assistant', content: null, reasoning: text, calls: [] }, path);
  }

  private call(call: PastCall, path: string): void {
    const open = this.answer;
    if (open) open.message = { ...open.message, calls: [...open.message.calls, call] };
    else this.begin({ role: 'assistant', content: null, calls: [call] }, path);
  }

  /** The result is put in its place once the call has run. */
  private approval(item: JsonObject, path: string): void {
    const { approval_request_id: id, approve, reason } = item;
    if (typeof id !== 'string' || id === '')
      throw invalidValue(`${path}.approval_request_id`, id, 'the id of the mcp_approval_request as a string');
    if (typeof approve !== 'boolean') throw invalidValue(`${path}.approve`, approve, 'true or false');
    this.approvals.push({ id, approved: approve, ...(typeof reason === 'string' && { reason }) });
    this.add({ role: 'tool', callId: id, content: '' }, path);
  }

  /** The tools that a search found. */
  private found(item: JsonObject, path: string): void {
    const names = this.load(item, path);
    if (item.call_id === undefined || item.call_id === null) return;
    const content = names.length === 0 ? 'No tool was found.' : `These tools can be called now: ${names.join(', ')}.`;
    this.add({ role: 'tool', callId: callId(item, path), content }, path);
  }

  /** Puts the tools of an item on offer; returns their names as the model knows them. */
  private load(item: JsonObject, path: string): string[] {
    const tools = boundedList(item.tools, `${path}.tools`, this.most).map((tool, index) => ({
      tool,
      path: `${path}.tools[${index}]`,
    }));
    this.loaded.push(...tools);
    return tools.flatMap(({ tool }) => namesIn(tool));
  }

  private begin(message: Assistant, path: string): void {
    this.close();
    this.answer = { message, path };
  }

  private add(message: Message, path: string): void {
    this.close();
    this.messages.push(message);
    this.paths.push(path);
  }

  private close(): void {
    const { answer } = this;
    this.answer = undefined;
    // Reasoning that nothing followed says nothing to a model.
    if (!answer || (answer.message.content === null && answer.message.calls.length === 0)) return;
    this.messages.push(answer.message);
    this.paths.push(answer.path);
  }
}

/** The names of a tool, or of those in a namespace. */
function namesIn(tool: JsonValue): string[] {
  if (!isObject(tool) || typeof tool.name !== 'string') return [];
  const { name, type, tools } = tool;
  if (type !== 'namespace' || !Array.isArray(tools)) return [name];
  return tools.flatMap((inner) => namesIn(inner).map((one) => namespacedToolName(name, one)));
}

/** The approvals of calls that have run: such a call is not to run again. */
const approvedIn = (items: readonly JsonValue[]): Set<JsonValue | undefined> =>
  new Set(
    items.flatMap((item) =>
      isObject(item) && item.type === 'mcp_call' && typeof item.approval_request_id === 'string'
        ? [item.approval_request_id]
        : [],
    ),
  );

const carriedReasoning = ({ encrypted_content: carried }: JsonObject): string | undefined =>
  typeof carried === 'string' ? reasoningIn('', carried) : undefined;
