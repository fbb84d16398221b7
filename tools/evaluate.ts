// `npm run evaluate`: what clients get of recorded replies directly, and through Callsmith.
import { Command, Option } from 'commander';
import { evaluate } from './evaluate/evaluate.ts';
import { type Format, formats, readRecordings } from './evaluate/read-files.ts';
import { table } from './evaluate/table.ts';

interface Given {
  readonly format: Format;
  readonly cases?: string;
  readonly model: string;
  readonly dialect?: string;
  readonly live?: string;
  readonly json?: string;
  readonly resume?: true;
  readonly misses?: string;
}

const program = new Command('evaluate')
  .description('Replays recorded replies of models, and judges what clients get directly and through Callsmith.')
  .argument('<files...>')
  .addOption(new Option('--format <format>', 'the form of the files').choices(formats).default('jsonl'))
  .option('--cases <folder>', "BFCL's cases: bfcl_eval/data")
  .option('--model <id>', 'the model that said it; its ID tells its dialect', '')
  .option('--dialect <name>', 'the dialect that is read, as if it were declared')
  .option('--live <address>', 'ask this server (…/v1) for each reply; its API key is OPENAI_API_KEY')
  .option('--json <file>', 'write a JSON line for each reply and way of taking it')
  .option('--resume', 'go on behind the lines of that file')
  .option('--misses <folder>', 'write a page about each reply that did not come out right');
program.parse();
const given = program.opts<Given>();

const recordings = program.args.flatMap((file) => {
  const { recordings, skipped } = readRecordings(file, given.format, given.cases);
  for (const [why, count] of skipped) process.stderr.write(`${file}: ${count} left out: ${why}\n`);
  return recordings;
});
const rows = await evaluate(recordings, {
  ...given,
  apiKey: process.env.OPENAI_API_KEY,
  progress: (text) => void process.stderr.write(text),
});
process.stdout.write(table(rows));
