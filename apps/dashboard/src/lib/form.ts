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
      const said = error instanceof ApiError ? fieldsOf(error).filter(([name]) => Object.hasOwn(values, name)) : [];
      if (said.length > 0) setErrors(Object.fromEntries(said));
      else setProblem(error instanceof Error ? error : new Error(String(error)));
    },
  };
}

const without = (errors: Record<string, string>, names: readonly string[]) =>
  Object.fromEntries(Object.entries(errors).filter(([name]) => !names.includes(name)));

const errorsOf = (error: z.ZodError): Record<string, string> =>
  Object.fromEntries(error.issues.map((issue) => [String(issue.path[0] ?? ''), issue.message]).reverse());

// A path like `holders.3` belongs to the field `holders`.
const fieldsOf = ({ fields, param, message }: ApiError): [string, string][] =>
  fields.length > 0
    ? fields.map((field) => [field.path.split(/[.[]/)[0] ?? '', field.message])
    : param
      ? [[param, message]]
      : [];
