import { existsSync } from 'node:fs';
import { Option } from 'commander';
import type { CommandContext } from './context.ts';
import { type Format, recordingFormats } from './evaluate/read-files.ts';
import { Refused } from './exit-codes.ts';
import { parseFormat, parseLines } from './parse.ts';

interface EvaluateOptions {
  readonly format: Format;
  readonly cases?: string;
  readonly model: string;
  readonly dialect?: string;
  readonly live?: string;
  readonly rowsFile?: string;
  readonly resume?: true;
  readonly misses?: string;
}

/** Adds the commands that parse what models wrote; they need no gateway. */
export function addParseCommands({ program, env, err, print }: CommandContext): void {
  program
    .command('parse')
    .description('find tool calls in model output: JSON lines in, JSON lines out')
    .option('--dialect <name>', 'default dialect: its name, or auto', 'auto')
    .addOption(
      new Option('--declared <bool>', 'whether somebody declared that dialect, so that only it and clear markers count')
        .choices(['true', 'false'])
        .default('true'),
    )
    .option('--chunk <n>', 'how many characters a piece of the text has by default, or whole', 'whole')
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
    .addOption(new Option('--format <format>', 'the form of the files').choices(recordingFormats).default('jsonl'))
    .option('--cases <folder>', "BFCL's cases: bfcl_eval/data")
    .option('--model <id>', 'the model that said it; its ID tells its dialect', '')
    .option('--dialect <name>', 'the dialect that is read, as if it were declared')
    .option('--live <address>', 'ask this server (…/v1) for each reply; its API key is OPENAI_API_KEY')
    .option('--rows-file <file>', 'write a JSON line for each reply and way of taking it')
    .option('--resume', 'go on behind the lines of that file')
    .option('--misses <folder>', 'write a page about each reply that did not come out right')
    .addHelpText('after', '\nExample:\n  $ callsmith evaluate replies.jsonl --model qwen2.5-7b-instruct')
    .action(async (files: string[], given: EvaluateOptions) => {
      const { evaluate } = await import('./evaluate/evaluate.ts');
      const { readRecordings } = await import('./evaluate/read-files.ts');
      const { figuresTable: table } = await import('./evaluate/table.ts');
      const recordings = files.flatMap((file) => {
        if (!existsSync(file)) throw new Refused(`There is no file ${file}.`);
        const { recordings, skipped } = readRecordings(file, given.format, given.cases);
        for (const [why, count] of skipped) err(`${file}: ${count} left out: ${why}\n`);
        return recordings;
      });
      const rows = await evaluate(recordings, { ...given, apiKey: env.OPENAI_API_KEY, progress: err });
      print(rows, table(rows));
    });
}
