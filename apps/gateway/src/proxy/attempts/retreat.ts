import { createHash } from 'node:crypto';
import type { Lesson, ModelEntry, Route } from '@callsmith/data/snapshot';
import { type EngineFailure, type Retreat, type RetreatStep, retreats } from '@callsmith/protocols';
import { type BaseStrategy, hasToolHistory, type Turn } from '@callsmith/turn';
import type { AttemptFailure } from '../upstream/attempt-failure.ts';
import { retreatTurn } from '../upstream/retreat-turn.ts';

/** The form of a request. */
export interface RequestForm {
  /** How the tools are sent. */
  readonly strategyUsed: BaseStrategy;
  readonly retreats: readonly Retreat[];
}

/** The next form to try, and the lesson if it gives output. */
export interface NextForm extends RequestForm {
  readonly retreat: Retreat;
  readonly lesson: Pick<Lesson, 'what' | 'value'> | undefined;
}

/** What a form is chosen for: the client's turn, and the turn that was sent. */
interface FormOf {
  readonly model: ModelEntry;
  readonly turn: Turn;
  readonly sent: Pick<NonNullable<AttemptFailure['sent']>, 'turn' | 'constrained'>;
}

/**
 * The retreats that a route was learned to need, for a turn with these tools, in the order in which they are applied.
 */
export function learnedForms({ retreats: learned }: Route, turn: Turn): readonly Retreat[] {
  if (learned.length === 0) return [];
  const suffix = learned.some((name) => name.includes(':')) ? `:${hashOfSchemas(turn)}` : '';
  return order.filter((name) => learned.includes(name) || learned.includes(name + suffix));
}

/**
 * The first retreat for this kind of failure that was not tried and that changes the request. Undefined: there is none.
 */
export function nextForm(
  kind: EngineFailure['kind'] | 'choice-unheeded',
  last: RequestForm,
  { model, turn, sent }: FormOf,
): NextForm | undefined {
  const step = retreats[kind].find(
    ({ retreat }) => !last.retreats.includes(retreat) && isOther(retreat, last, { model, turn, sent }),
  );
  if (step === undefined) return undefined;
  const { retreat } = step;
  const lesson = lessonOf(step, turn);
  return retreat === 'prompt'
    ? { retreat, strategyUsed: 'prompt', retreats: [], lesson }
    : { retreat, strategyUsed: last.strategyUsed, retreats: [...last.retreats, retreat], lesson };
}

function isOther(retreat: Retreat, { strategyUsed }: RequestForm, { model, turn, sent }: FormOf): boolean {
  switch (retreat) {
    case 'prompt':
      return strategyUsed === 'native' && /^(?:auto|strict)$/.test(model.strategy.value) && needsTools(turn);
    case 'again':
      return true;
    case 'unconstrained':
      return sent.constrained || retreatTurn(sent.turn, retreat) !== sent.turn;
    default:
      return retreatTurn(sent.turn, retreat) !== sent.turn;
  }
}

const needsTools = (turn: Turn): boolean => turn.tools.size > 0 || hasToolHistory(turn);

function lessonOf({ retreat, learned }: RetreatStep, turn: Turn): NextForm['lesson'] {
  if (learned === undefined) return undefined;
  if (learned === 'same-tools') return { what: `retreat:${retreat}:${hashOfSchemas(turn)}`, value: true };
  return retreat === 'prompt' ? { what: 'native-tools', value: false } : { what: `retreat:${retreat}`, value: true };
}

/** A short hash of a turn's schemas: those of its tools and of its response format. */
function hashOfSchemas({ tools, sampling }: Turn): string {
  const schemas = [tools.list.map(({ name, parameters }) => [name, parameters]), sampling.response_format];
  return createHash('sha256').update(JSON.stringify(schemas)).digest('hex').slice(0, 12);
}

/** The order in which retreats are applied: those of schemas and choices before those of messages. */
const order: readonly Retreat[] = [
  'prompt',
  'named-tool',
  'no-tool-choice',
  'no-tools',
  'said-choice',
  'simple-schemas',
  'unconstrained',
  'valid-history',
  'inline-as-user',
  'one-system',
  'plain-roles',
];
