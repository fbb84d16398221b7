import {
  classes,
  outcomes,
  type Source,
  sources,
  strategiesUsed,
  strategyNames,
  turnOutcomes,
  upstreamKinds,
} from '@callsmith/turn';
import { z } from 'zod';

export const role = z.enum(['viewer', 'editor', 'admin']);
export type Role = z.infer<typeof role>;

export const strategy = z.enum(strategyNames);
export const strategyUsed = z.enum(strategiesUsed);
export const source = z.enum(sources);
export const callOutcome = z.enum(outcomes);
export const turnOutcome = z.enum(turnOutcomes);
/** The filter by result: an outcome, or that a request ended in an error, whatever its outcome. */
export const outcomeFilter = z.enum([...turnOutcome.options, 'error']);
/** Which API of a model server is used; `auto`: the default for its kind, or the detected one. */
export const upstreamApi = z.enum(['auto', 'chat', 'responses', 'ollama']);
/** The choices and their labels. */
export const upstreamApiChoices = [
  { value: 'chat', label: 'chat completions' },
  { value: 'responses', label: 'responses' },
  { value: 'ollama', label: "Ollama's own" },
] as const;
export const upstreamKind = z.enum(upstreamKinds);
export const findingClass = z.enum(classes);
/** A class to filter by; `EmptyTurn` is the name of `EmptyAnswer` before version 0.2. */
export const findingClassFilter = z.union([
  findingClass,
  z.literal('EmptyTurn').transform(() => 'EmptyAnswer' as const),
]);

/** The period of a token budget: a calendar day or month in UTC. */
export const budgetPeriod = z.enum(['day', 'month']);
export type BudgetPeriod = z.infer<typeof budgetPeriod>;

/** The form of a file of turns. */
export const exportFormat = z.enum(['csv', 'json']);
export type ExportFormat = z.infer<typeof exportFormat>;

/** An instant, ISO 8601 in UTC. */
export const instant = z.iso.datetime();

/** A value and its source. */
export interface Sourced<T> {
  readonly value: T;
  readonly source: Source;
}
export const sourced = <T extends z.ZodType>(value: T) => z.object({ value, source });

export const byId = z.object({ id: z.string().min(1).max(1024) });

/** One page of a list; `cursor` is opaque. */
export const page = z.object({
  cursor: z.string().max(500).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});
export const pageOf = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item), next: z.string().nullable() });

/** A time range; the default is the last 24 hours. */
export const range = z.object({ from: instant.optional(), to: instant.optional() });

/** `file`: managed by the configuration file, and read-only elsewhere; null: changed by hand. */
export const managedBy = z.literal('file').nullable();
