import { type Dialect, dialects, parseCalls } from '@callsmith/toolcall';
import { type JsonObject, ToolTable, type UpstreamEvent } from '@callsmith/turn';

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

/** A text that may be slow to parse, and how it reaches the parser. */
interface HostileText {
  readonly name: string;
  /** The text with about so many characters. */
  readonly ofLength: (length: number) => string;
  readonly tools: ToolTable;
  readonly dialect: string;
  /** Characters of a piece. */
  readonly size: number;
  /** As the arguments of a native call. */
  readonly native?: boolean;
  /** For a client that takes whole responses. */
  readonly whole?: boolean;
}

/** The time that parsing one text took, in milliseconds. */
interface TextCost {
  readonly perMb: number;
  readonly longest: number;
}

const filled = (unit: string, length: number): string => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

/** Texts that were parsed with an unknown dialect: many dialects share their markers. */
const parsedWithAuto = new Set<string>();

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

function* markerTexts(dialect: Dialect): Generator<HostileText> {
  for (const [head, unit] of unitsOf(dialect)) {
    const about = `${JSON.stringify(head)} ${JSON.stringify(unit)}`;
    for (const name of parsedWithAuto.has(about) ? [dialect.name] : [dialect.name, 'auto'])
      for (const size of pieceLengths)
        yield {
          name: `${name}: ${about} in pieces of ${size}`,
          ofLength: (length) => head + filled(unit, length),
          tools,
          dialect: name,
          size,
        };
    parsedWithAuto.add(about);
  }
}

/** Values with more members than characters suggest, or in need of repair, by name. */
const values: Record<string, (length: number) => string> = {
  numbers: (length) => `[${filled('1,', length)}1]`,
  lists: (length) => `[${filled('[],', length)}[]]`,
  objects: (length) => `[${filled('{},', length)}{}]`,
  strings: (length) => `[${filled('"1",', length)}"1"]`,
  names: (length) => `{${Array.from({ length: length / 12 }, (_, place) => `"k${place}":1`).join()}}`,
  'loose objects': (length) => `[${filled("{'a':1,},", length)}]`,
  'open lists': (length) => `[${filled('[1,', length)}`,
  'a list in a string': (length) => JSON.stringify(`[${filled('{},', length)}{}]`),
  lines: (length) => filled('text\n', length),
  quotes: (length) => filled('say "a" ', length),
  backslashes: (length) => filled('\\', length),
  entities: (length) => filled('&quot;', length),
};

/** Values that do not fit these are examined most. */
const schemas: readonly JsonObject[] = [
  { type: 'array', items: { type: 'number' } },
  { anyOf: [{ type: 'array', items: { type: 'object', required: ['a'] } }, { type: 'object' }] },
];
const placeholder = '[7077]';

/** Calls with such values: in the dialect's own form, streamed and whole. */
function* valueTexts(dialect: Dialect): Generator<HostileText> {
  const written = dialect.renderCall({ ...call, arguments: `{"x":${placeholder}}` });
  const [before, behind] = written.split(placeholder);
  if (before === undefined || behind === undefined) return;
  yield* callTexts(dialect.name, before, behind);
}

/** The same as arguments of native calls, and in their place. */
function* nativeTexts(): Generator<HostileText> {
  for (const [before, behind] of [
    ['{"x": ', '}'],
    ['{"x": "', '"}'],
    ['"{\\"x\\": \\"', '\\"}"'],
    ['```json\n{"x": ', '}\n```'],
    ['{"name": "bash", "arguments": {"x": ', '}}'],
    ['{&quot;x&quot;: ', '}'],
    ['[', ']'],
    ['{', ''],
    ['', ''],
  ] as const)
    for (const text of callTexts('native', before, behind)) yield { ...text, native: true };
}

function* callTexts(dialect: string, before: string, behind: string): Generator<HostileText> {
  for (const [place, x] of schemas.entries()) {
    const tools = new ToolTable([
      { name: 'bash', parameters: { type: 'object', properties: { x }, required: ['x'] } as JsonObject },
    ]);
    for (const [value, ofLength] of Object.entries(values))
      for (const whole of [false, true])
        yield {
          name: `${dialect}: ${JSON.stringify(before)} ${value} for schema ${place}${whole ? ', whole' : ''}`,
          ofLength: (length) => before + ofLength(length) + behind,
          tools,
          dialect,
          size: sliceLength,
          whole,
        };
  }
}

/**
 * Parses hostile texts made of each dialect's markers, with its model's dialect and with an unknown one, and calls with
 * hostile values, and prints those that take too long. `part`: only dialects with that in their names, or `native`. True
 * if none does.
 */
export function readHostileTexts(print: (text: string) => void, part = ''): boolean {
  let count = 0;
  let slow = 0;
  const read = (name: string, texts: Iterable<HostileText>): void => {
    for (const text of texts) {
      const first = costOf(text, shortLength);
      const isFast = first.perMb < mostPerMb / 2 && first.longest < mostPerSlice / 2;
      const { perMb, longest } = isFast ? first : leastCost(text, length);
      count++;
      if (perMb <= mostPerMb && longest <= mostPerSlice) continue;
      slow++;
      print(`${text.name}: ${perMb.toFixed(0)} ms per MB, ${longest.toFixed(0)} ms at one go`);
    }
    print(`${name}: ${count} texts read`);
  };
  for (const dialect of dialects.filter(({ name }) => name.includes(part)))
    read(dialect.name, [...markerTexts(dialect), ...valueTexts(dialect)]);
  if ('native'.includes(part)) read('native', nativeTexts());
  print(`${slow} of ${count} take more than ${mostPerMb} ms per MB, or ${mostPerSlice} ms at one go`);
  return slow === 0;
}

/** The best of three measurements, because the machine may be busy. One that is fast enough is enough. */
function leastCost(text: HostileText, length: number): TextCost {
  let best = { perMb: Number.POSITIVE_INFINITY, longest: Number.POSITIVE_INFINITY };
  for (let round = 0; round < 3 && (best.perMb > mostPerMb || best.longest > mostPerSlice); round++) {
    const before = slowness();
    const { perMb, longest } = costOf(text, length);
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

function costOf(
  { ofLength, tools, dialect, size, native = false, whole = false }: HostileText,
  length: number,
): TextCost {
  const text = ofLength(length);
  const sink = parseCalls({
    tools,
    dialect,
    dialectDeclared: false,
    strategyUsed: native ? 'native' : 'prompt',
    holdBytes: whole ? null : 1024,
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
      for (let from = at; from < to; from += size) {
        const piece = text.slice(from, Math.min(from + size, to));
        if (!native) sink.push({ type: 'text-delta', choice: 0, text: piece });
        else sink.push({ type: 'call-fragment', choice: 0, index: 0, name: 'bash', arguments: piece });
      }
    });
  }
  const end: UpstreamEvent = { type: 'turn-end', choice: 0, reason: 'stop' };
  timed(() => {
    sink.push(end);
    sink.end();
  });
  return { perMb: (total / text.length) * 1024 * 1024, longest };
}
