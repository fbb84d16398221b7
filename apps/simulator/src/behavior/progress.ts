import type { Exchange } from './conversation.ts';
import type { Step } from './plan.ts';
import { failed, rejected } from './prose.ts';

/** The state of a step after the calls so far. */
export interface Progress {
  step: Step;
  tries: number;
  state: 'open' | 'done' | 'failed';
  result: string;
}

/** Matches past calls with the steps; a failed step is retried once, or done otherwise if the user said so. */
export function progressOf(steps: readonly Step[], exchanges: readonly Exchange[]): Progress[] {
  const progress = steps.map((step): Progress => ({ step, tries: 0, state: 'open', result: '' }));
  for (const exchange of exchanges) {
    const open = progress.filter((each) => each.state === 'open');
    const each = open.find((candidate) => exchange.call.includes(mark(candidate.step))) ?? open[0];
    if (each === undefined) break;
    each.result = exchange.result;
    each.tries++;
    if (!failed(exchange.result)) each.state = 'done';
    else if (each.step.kind === 'read' && each.step.instead !== undefined)
      each.step = { kind: 'read', path: each.step.instead };
    else if (each.step.kind === 'read' && hint.test(exchange.result))
      each.step = { kind: 'read', path: hint.exec(exchange.result)?.[1] ?? '' };
    else if (each.tries > (rejected(exchange.result) ? 3 : 1)) each.state = 'failed';
    else progress.splice(progress.indexOf(each), 1, ...inParts(each, exchange.result));
  }
  return progress;
}

/** A tool's suggestion for something that it did not find. */
const hint = /\bdid you mean ["'`]([^"'`\n]+)["'`]/i;

/** Text that a call for this step certainly contains; a path's last part, so that absolute paths match too. */
const mark = (step: Step): string =>
  step.kind === 'run' ? step.command : (step.path.split(/[\\/]/).at(-1) ?? step.path);

// Cline's editor: "Editor input too large: new_text was 19353 characters, exceeding the recommended limit of 6000."
const tooLarge = /\btoo (?:large|long)\b[\s\S]{0,200}?\blimit\D{0,20}(\d{3,7})/i;

/** A file that the client rejects as too large for one call is written in pieces. */
function inParts(progress: Progress, result: string): Progress[] {
  const { step } = progress;
  const limit = Number(tooLarge.exec(result)?.[1] ?? Number.NaN);
  if (step.kind !== 'write' || !(step.content.length > limit)) return [progress];
  const parts: string[] = [];
  for (const line of step.content.split(/(?<=\n)/)) {
    const last = parts.at(-1);
    if (last === undefined || last.length + line.length > limit * 0.8) parts.push(line);
    else parts[parts.length - 1] = last + line;
  }
  return parts.map((content, at) => ({
    step: { ...step, content, append: at > 0 },
    tries: 0,
    state: 'open',
    result: '',
  }));
}

/** A step in words, as the continuation of "I will …". */
export function describe(step: Step): string {
  if (step.kind === 'run') return `run \`${step.command}\``;
  return `${step.kind} ${step.path}`;
}
