import { existsSync } from 'node:fs';
import { Option } from 'commander';
import type { CommandContext } from './context.ts';
import { type Format, recordingFormats } from './evaluate/read-files.ts';
import { Refused } from './exit-codes.ts';
import { parseFormat, parseLines } from './parse.ts';

interface EvaluateOptions {
  readonly format: Format;
  readonly cases?: string;
  readonly model?: string;
  readonly dialect?: string;
  readonly live?: string;
  readonly rowsFile?: string;
  readonly resume?: true;
  readonly misses?: string;
}

/** Adds the commands that parse model output; they need no gateway. */
export function addParseCommands({ program, env, err, print }: CommandContext): void {
  program
    .command('parse')
    .description('find tool calls in model output: JSON lines in, JSON lines out')
    .option('--dialect <name>', 'default dialect: its name, or auto', 'auto')
    .addOption(
      new Option('--declared <bool>', 'true: only this dialect and unmistakable markers count; false: it is a guess')
        .choices(['true', 'false'])
        .default('true'),
    )
    .option('--chunk <n>', 'default size of the pieces in which the text arrives, in characters, or whole', 'whole')
    .addHelpText(
      'after',
      `\n${parseFormat}\n\nExample:\n  $ echo '{"text": "<tool_call>{\\"name\\": \\"ls\\", \\"arguments\\": {}}</tool_call>"}' | callsmith parse`,
    )
    .action(async ({ dialect, declared, chunk }: { dialect: string; declared: string; chunk: string }) =>
      parseLines(process.stdin, process.stdout, { dialect, declared: declared !== 'false', chunk }),
    );

  program
    .command('evaluate')
    .description('replay recorded replies of models, and judge what clients get directly and through Callsmith')
    .argument('<files...>')
    .addOption(new Option('--format <format>', 'format of the files').choices(recordingFormats).default('jsonl'))
    .option('--cases <folder>', "folder of BFCL's cases (bfcl_eval/data)")
    .option('--model <id>', 'model that wrote the replies; its ID determines the dialect')
    .option('--dialect <name>', 'read the replies as this dialect')
    .option('--live <address>', 'ask this server (…/v1) for the replies instead; its API key is in OPENAI_API_KEY')
    .option(
      '--rows-file <file>',
      'write one JSON line for each reply, strategy and way of sending it (streamed or whole)',
    )
    .option('--resume', 'continue after the lines already in --rows-file')
    .option('--misses <folder>', 'write one page for each reply that went wrong')
    .addHelpText('after', '\nExample:\n  $ callsmith evaluate replies.jsonl --model qwen2.5-7b-instruct')
    .action(async (files: string[], options: EvaluateOptions) => {
      const { evaluate } = await import('./evaluate/evaluate.ts');
      const { readRecordings } = await import('./evaluate/read-files.ts');
      const { figuresTable } = await import('./evaluate/table.ts');
      const recordings = files.flatMap((file) => {
        if (!existsSync(file)) throw new Refused(`There is no file ${file}.`);
        const { recordings, skipped } = readRecordings(file, options.format, options.cases);
        for (const [why, count] of skipped) err(`${file}: ${count} left out: ${why}\n`);
        return recordings;
      });
      const rows = await evaluate(recordings, {
        ...options,
        model: options.model ?? '',
        apiKey: env.OPENAI_API_KEY,
        progress: err,
      });
      print(rows, figuresTable(rows));
    });
}
