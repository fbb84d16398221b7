import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { judgeReply, type Recording, type Reply, type ReplyVerdict, replyOf } from '@callsmith/evaluate';
import { schemaMismatch } from '@callsmith/toolcall';
import { isObject, parseJson } from '@callsmith/turn';
import { replayRecording } from '../../proxy/replay/replay-recording.ts';
import { exitCodes, Refused } from '../exit-codes.ts';

/** The result of a recorded reply in one delivery mode. */
export interface EvaluatedRow {
  readonly id: string;
  readonly group: string;
  readonly strategy: 'native' | 'prompt';
  readonly streamed: boolean;
  readonly direct: ReplyVerdict;
  readonly through: ReplyVerdict;
}

export interface EvaluateOptions {
  /** The model's id, which selects its dialect; empty: unknown. */
  readonly model: string;
  /** Treated as declared. */
  readonly dialect?: string | undefined;
  /** A file that rows are appended to, a JSON line each. */
  readonly rowsFile?: string | undefined;
  /** Rows of that file are not evaluated again. */
  readonly resume?: boolean | undefined;
  /** A folder for a page about each reply with a wrong result. */
  readonly misses?: string | undefined;
  /** A server to query instead of using the recorded replies: an address of `/v1/chat/completions`' API. */
  readonly live?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly progress: (text: string) => void;
}

/**
 * Processes each recorded reply as if an upstream sent it, streamed and whole, by each strategy that can have produced
 * it: replies with native calls by `native`, texts by `native` and `prompt` (`auto` is always one of both). Compares
 * what a client got directly and through Callsmith.
 */
export async function evaluate(
  recordings: readonly Recording[],
  options: EvaluateOptions,
): Promise<readonly EvaluatedRow[]> {
  const { rowsFile, resume, misses, live, progress } = options;
  const rows: EvaluatedRow[] =
    rowsFile !== undefined && resume === true && existsSync(rowsFile) ? rowsOf(rowsFile) : [];
  const doneKeys = new Set(rows.map(keyOf));
  // Drops a line that was cut by an interruption.
  if (rowsFile !== undefined) writeFileSync(rowsFile, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  if (misses !== undefined) mkdirSync(misses, { recursive: true });
  for (const [at, recorded] of recordings.entries()) {
    if (at % 200 === 0) progress(`${at} of ${recordings.length}\n`);
    // All delivery modes of a server's reply are written together, so that the first row shows that it is done.
    const first = { ...recorded, strategy: 'native', streamed: true } as const;
    if (live !== undefined && doneKeys.has(keyOf(first))) continue;
    const recording = live === undefined ? recorded : { ...recorded, reply: await ask(live, recorded, options) };
    for (const arm of armsOf(recording)) {
      if (doneKeys.has(keyOf({ ...recording, ...arm }))) continue;
      const got = await replayRecording(recording, { model: options.model, dialect: options.dialect, ...arm });
      const judged = (reply: Reply) => judgeReply(recording, reply, satisfies(recording));
      const row = {
        id: recording.id,
        group: recording.group,
        ...arm,
        direct: judged(recording.reply),
        through: judged(got),
      };
      rows.push(row);
      if (rowsFile !== undefined) appendFileSync(rowsFile, `${JSON.stringify(row)}\n`);
      if (misses !== undefined && isMiss(row))
        writeFileSync(join(misses, pageName(row)), missPage(row, recording, got));
    }
  }
  return rows;
}

function armsOf({ reply }: Recording): Pick<EvaluatedRow, 'strategy' | 'streamed'>[] {
  const strategies =
    reply.calls.length > 0 || reply.text === '' ? (['native'] as const) : (['native', 'prompt'] as const);
  return strategies.flatMap((strategy) => [true, false].map((streamed) => ({ strategy, streamed })));
}

const keyOf = ({ id, group, strategy, streamed }: Pick<EvaluatedRow, 'id' | 'group' | 'strategy' | 'streamed'>) =>
  JSON.stringify([group, id, strategy, streamed]);

const rowsOf = (file: string): EvaluatedRow[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => parseJson(line))
    .filter((row) => isObject(row)) as unknown as EvaluatedRow[];

/** Whether anything was wrong, whatever the cause. */
function isMiss({ through }: EvaluatedRow): boolean {
  return (
    through.valid < through.calls ||
    [through.made, through.right, through.textKept].includes(false) ||
    through.falseCall === true
  );
}

const pageName = ({ id, strategy, streamed }: EvaluatedRow): string =>
  `${id.replace(/[^\w.-]/g, '_')}-${strategy}-${streamed ? 'streamed' : 'whole'}.md`;

function missPage(row: EvaluatedRow, recording: Recording, got: Reply): string {
  const part = (title: string, value: unknown) => `## ${title}\n\n~~~~json\n${JSON.stringify(value, null, 2)}\n~~~~\n`;
  return [
    `# ${row.id}: ${row.strategy}, ${row.streamed ? 'streamed' : 'whole'}\n`,
    part('Found', { direct: row.direct, through: row.through }),
    part('Model output', recording.reply),
    part('Response to client', got),
    part('Expected', recording.expects ?? null),
    part('Tools', recording.tools),
  ].join('\n');
}

function satisfies({ tools }: Recording): (tool: string, json: string) => boolean {
  const schemas = new Map(
    tools.map(({ function: functionObject }) => [
      isObject(functionObject) ? functionObject.name : undefined,
      isObject(functionObject) && isObject(functionObject.parameters) ? functionObject.parameters : {},
    ]),
  );
  return (tool, json) => schemaMismatch(json, schemas.get(tool) ?? {}) === undefined;
}

async function ask(
  address: string,
  { id, messages, tools }: Recording,
  { model, apiKey }: EvaluateOptions,
): Promise<Reply> {
  if (messages.length === 0)
    throw new Refused(`--live sends the messages of each reply again, but ${id} has none: add "messages" to its line.`);
  const response = await fetch(`${address.replace(/\/+$/, '')}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
    body: JSON.stringify({ model, messages, ...(tools.length > 0 && { tools }) }),
  }).catch((error: Error) => {
    const cause = error.cause instanceof Error ? error.cause.message : error.message;
    throw new Refused(`${address} does not respond: ${cause}`, exitCodes.unreachable);
  });
  const text = await response.text();
  if (!response.ok) throw new Refused(`${address} answered ${response.status}: ${text.slice(0, 300)}`);
  const completion = parseJson(text);
  const [choice] = isObject(completion) && Array.isArray(completion.choices) ? completion.choices : [];
  const reply = isObject(choice) ? replyOf(choice.message) : undefined;
  if (reply === undefined) throw new Refused(`${address} responded without a message: ${text.slice(0, 300)}`);
  return reply;
}
