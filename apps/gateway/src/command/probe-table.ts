import type { Probe } from '@callsmith/contracts';

type Arm = Probe['arms'][number];

/**
 * A probe as text: its measures and cases with a column for each arm, what the server accepts, and the recommendation.
 */
export function probeTable(probe: Probe): string {
  const { arms, cases, support, recommendation, problem } = probe;
  const rows = [
    ['', ...arms.map(({ name, inEffect }) => (inEffect ? `${name} *` : name))],
    ...measures.map(({ name, cell }) => [name, ...arms.map(cell)]),
    ...cases.map(({ case: number, title }) => [`${number}. ${title}`, ...arms.map((arm) => ofCase(arm, number))]),
  ];
  const takes = (support ?? []).map(({ what, support: found, detail }) => [
    what,
    detail ? `${found}: ${detail}` : found,
  ]);
  const parts = [
    head(probe),
    aligned(rows),
    '* in effect',
    ...(takes.length > 0 ? [aligned([['The server takes', ''], ...takes])] : []),
    ...(problem === null ? [] : [problem]),
    ...(recommendation === null ? [] : [recommendation.sentence]),
  ];
  return `${parts.join('\n\n')}\n`;
}

const measures: readonly { readonly name: string; readonly cell: (arm: Arm) => string }[] = [
  { name: 'right', cell: ({ right }) => share(right) },
  { name: 'without repair or second try', cell: ({ clean }) => share(clean) },
  { name: 'schema accuracy', cell: ({ schemaAccuracy }) => share(schemaAccuracy) },
  { name: 'trigger F1', cell: ({ triggerF1 }) => (triggerF1 === null ? '–' : percent(triggerF1)) },
  { name: 'not answered', cell: ({ refused }) => String(refused) },
  { name: 'tokens in, out', cell: ({ inputTokens, outputTokens }) => `${inputTokens ?? '–'}, ${outputTokens ?? '–'}` },
  { name: 'first token', cell: ({ firstTokenMs }) => (firstTokenMs === null ? '–' : `${firstTokenMs} ms`) },
];

const head = ({ id, state, size, upstream, engineVersion, spent }: Probe): string =>
  `${id}: ${size}, ${state}${upstream === null ? '' : `, on ${upstream}`}${engineVersion === null ? '' : `, engine ${engineVersion}`}; ${spent.requests} requests, ${spent.tokens} tokens, ${Math.round(spent.ms / 1000)} s`;

function share(rate: Arm['right']): string {
  return rate === null ? '–' : `${percent(rate.value)} (${percent(rate.low)} to ${percent(rate.high)}, n=${rate.n})`;
}

const percent = (value: number): string => `${Math.round(value * 100)} %`;

function ofCase({ cases }: Arm, number: number): string {
  const sum = cases.find((one) => one.case === number);
  return sum === undefined ? '–' : `${sum.right} of ${sum.n}`;
}

/** Columns aligned to their widest cell. */
function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
