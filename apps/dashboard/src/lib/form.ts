import { ApiError } from '@callsmith/contracts';
import { useState } from 'react';
import type { z } from 'zod';

export interface Form<Values> {
  readonly values: Values;
  readonly errors: Readonly<Record<string, string>>;
  /** An error that belongs to no field. */
  readonly problem: Error | null;
  set(changes: Partial<Values>): void;
  /** The values as `schema` takes them; where it does not, the errors are shown and this is undefined. */
  check<S extends z.ZodType>(schema: S, body: unknown): z.input<S> | undefined;
  /** Shows what the server said, at its field if it named one. */
  refuse(error: unknown): void;
}

/** The state of a form: its values, and errors by the contract's schema or from the server. */
export function useForm<Values extends object>(initial: Values): Form<Values> {
  const [values, setValues] = useState(initial);
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [problem, setProblem] = useState<Error | null>(null);
  return {
    values,
    errors,
    problem,
    set(changes) {
      setValues((old) => ({ ...old, ...changes }));
      setErrors((old) => without(old, Object.keys(changes)));
    },
    check(schema, body) {
      setProblem(null);
      const read = schema.safeParse(body);
      setErrors(read.success ? {} : errorsOf(read.error));
      return read.success ? (body as z.input<typeof schema>) : undefined;
    },
    refuse(error) {
      if (error instanceof ApiError && error.param && Object.hasOwn(values, error.param))
        setErrors({ [error.param]: error.message });
      else setProblem(error instanceof Error ? error : new Error(String(error)));
    },
  };
}

const without = (errors: Record<string, string>, names: readonly string[]) =>
  Object.fromEntries(Object.entries(errors).filter(([name]) => !names.includes(name)));

const errorsOf = (error: z.ZodError): Record<string, string> =>
  Object.fromEntries(error.issues.map((issue) => [String(issue.path[0] ?? ''), issue.message]).reverse());
