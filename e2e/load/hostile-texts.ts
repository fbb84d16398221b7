import { type Dialect, dialects, parseCalls } from '@callsmith/toolcall';
import { ToolTable, type UpstreamEvent } from '@callsmith/turn';

/** Limits for parsing a megabyte of any text, and for one slice of it, in milliseconds of CPU time. */
const mostPerMb = 300;
const mostPerSlice = 30;
const length = 1024 * 1024;
/** The size of the first measurement: longer than what the parser keeps undecided, so that anything slow shows in it. */
const shortLength = 160 * 1024;
/** As the gateway feeds the parser: long events in slices, small ones, and those of a token or two. */
const sliceLength = 4096;
const pieceLengths = [sliceLength, 64, 7];

const tools = new ToolTable([
  { name: 'bash', parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] } },
  { name: 'git_status', parameters: { type: 'object', properties: {} } },
]);
const call = { id: 'functions.bash:0', name: 'bash', arguments: '{"command":"ls -la"}' };

/** What follows an opening marker, a megabyte of it. */
const fillers = [' ', '\\', '{', '[', '<', '"', '(', '&lt;', '`', ',', '{"a":'];

/** What is between two markers of a pair, alternately. */
const joints = ['', '\n', ' x ', '{"name": ', '{"name":"git_status","arguments":{}}', 'bash(', 'git_status()', '{'];

/** The time that parsing one text took. */
interface TextCost {
  readonly name: string;
  readonly perMb: number;
  readonly longest: number;
}

/**
 * Every dialect's markers, complete and truncated, names and beginnings of its calls, repeated, and each followed by
 * much repeated text.
 */
function* unitsOf(dialect: Dialect): Generator<readonly [head: string, unit: string]> {
  const markers = new Set([
    ...dialect.openingMarkers(tools, true).map(({ text }) => text),
    ...(dialect.closingMarkers?.(tools) ?? []),
    ...dialect.resultMarkers.map(({ text }) => text),
    ...(dialect.reasoning ?? []).flatMap(({ open, closes }) => [open, ...closes]),
  ]);
  markers.delete('');
  const written = dialect.renderCall(call);
  let pairs = 0;
  for (const marker of markers) {
    for (const unit of [marker, `\n${marker}`, `${marker}{"name": `, `${marker}bash(`, `\n\`\`\`\n${marker}`])
      yield ['', unit];
    if (marker.length > 1) yield ['', marker.slice(0, -1)];
    for (const filler of fillers) yield [marker, filler];
    for (const other of markers) yield ['', marker + joints[pairs++ % joints.length] + other];
  }
  for (let part = 1; part <= 16; part++) yield ['', written.slice(0, Math.ceil((written.length * part) / 16))];
}

/**
 * Parses hostile texts made of each dialect's markers, with its model's dialect and with an unknown one, and prints
 * those that take too long. `part`: only dialects with that in their names. True if none does.
 */
export function readHostileTexts(print: (text: string) => void, part = ''): boolean {
  const costs: TextCost[] = [];
  for (const dialect of dialects.filter(({ name }) => name.includes(part))) {
    for (const [head, unit] of unitsOf(dialect)) {
      for (const name of [dialect.name, 'auto'])
        for (const size of pieceLengths) {
          const about = `${name}: ${JSON.stringify(head)} ${JSON.stringify(unit)} in pieces of ${size}`;
          const textOf = (most: number): string => head + unit.repeat(Math.ceil(most / unit.length)).slice(0, most);
          const first = costOf(textOf(shortLength), name, size);
          const isFast = first.perMb < mostPerMb / 2 && first.longest < mostPerSlice / 2;
          costs.push({ name: about, ...(isFast ? first : leastCost(textOf(length), name, size)) });
        }
    }
    print(`${dialect.name}: ${costs.length} texts read`);
  }
  const slow = costs.filter(({ perMb, longest }) => perMb > mostPerMb || longest > mostPerSlice);
  for (const { name, perMb, longest } of slow)
    print(`${name}: ${perMb.toFixed(0)} ms per MB, ${longest.toFixed(0)} ms at one go`);
  print(`${slow.length} of ${costs.length} take more than ${mostPerMb} ms per MB, or ${mostPerSlice} ms at one go`);
  return slow.length === 0;
}

/** The best of three measurements, because the machine may be busy. One that is fast enough is enough. */
function leastCost(text: string, dialect: string, size: number): Omit<TextCost, 'name'> {
  let best = { perMb: Number.POSITIVE_INFINITY, longest: Number.POSITIVE_INFINITY };
  for (let round = 0; round < 3 && (best.perMb > mostPerMb || best.longest > mostPerSlice); round++) {
    const before = slowness();
    const { perMb, longest } = costOf(text, dialect, size);
    const slower = (before + slowness()) / 2;
    best = { perMb: Math.min(best.perMb, perMb / slower), longest: Math.min(best.longest, longest / slower) };
  }
  return best;
}

/** The shortest time of the reference loop so far, in milliseconds of CPU time. */
let fastest = Number.POSITIVE_INFINITY;

/** The machine's current slowdown compared with its best: its cores may be shared. */
function slowness(): number {
  const start = process.cpuUsage();
  let sum = 0;
  for (let at = 0; at < 5_000_000; at++) sum = (sum * 31 + at) | 0;
  const { user, system } = process.cpuUsage(start);
  const took = (user + system) / 1000 + (sum === 1 ? 1 : 0);
  fastest = Math.min(fastest, took);
  return took / fastest;
}

function costOf(text: string, dialect: string, size: number): Omit<TextCost, 'name'> {
  const sink = parseCalls({
    tools,
    dialect,
    dialectDeclared: false,
    strategyUsed: 'prompt',
    holdBytes: 1024,
    toolChoice: 'auto',
    parallel: true,
  })({ push: () => {}, flush: () => {}, end: () => {} });
  let longest = 0;
  let total = 0;
  const timed = (work: () => void): void => {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    total += (user + system) / 1000;
    longest = Math.max(longest, (user + system) / 1000);
  };
  for (let at = 0; at < text.length; at += sliceLength) {
    timed(() => {
      const to = Math.min(at + sliceLength, text.length);
      for (let from = at; from < to; from += size)
        sink.push({ type: 'text-delta', choice: 0, text: text.slice(from, Math.min(from + size, to)) });
    });
  }
  const end: UpstreamEvent = { type: 'turn-end', choice: 0, reason: 'stop' };
  timed(() => {
    sink.push(end);
    sink.end();
  });
  return { perMb: (total / text.length) * 1024 * 1024, longest };
}
