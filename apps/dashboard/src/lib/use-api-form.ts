import { ApiError } from '@callsmith/contracts';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import type { z } from 'zod';
import { toast } from '../ui/toast.ts';
import { bodyErrors, type FormErrors, refusedFields } from './form-errors.ts';

interface Given<Values, Schema extends z.ZodType, Reply> {
  readonly initialValues: Values;
  /** The contract's schema of the body. */
  readonly schema: Schema;
  readonly bodyOf: (values: Values) => unknown;
  /** Members of the body whose field has another name. */
  readonly renamed?: Readonly<Record<string, keyof Values & string>>;
  /** What a field says when its value is refused here, where that is plainer than what the schema says. */
  readonly messages?: Readonly<Partial<Record<keyof Values & string, string>>>;
  readonly send: (body: z.input<Schema>) => Promise<Reply>;
  /** What is to be fetched again; `[]` for everything. */
  readonly outdates?: QueryKey;
  /** The message when it was saved. */
  readonly saved?: (reply: Reply) => string;
  readonly onSaved?: (reply: Reply) => void;
}

/** A form whose values are sent to the admin API: Mantine's form, and what became of sending it. */
export interface ApiForm<Values, Reply = unknown> extends UseFormReturnType<Values> {
  /** An error that belongs to no field. */
  readonly problem: Error | null;
  readonly running: boolean;
  /** What the server answered when it took the form. */
  readonly reply: Reply | undefined;
  /** Checks the values by the contract's schema, then sends them. */
  readonly submit: (event?: SyntheticEvent<HTMLFormElement>) => void;
  /** Sends the values elsewhere, as they are checked there, e.g. to try a connection. */
  attempt<S extends z.ZodType>(schema: S, body: unknown, send: (body: z.input<S>) => Promise<unknown>): void;
  /** Shows the server’s message, at its field if it named one. */
  refuse(error: unknown): void;
}

/** An error of the form as a whole, found before anything was sent. */
export class InvalidForm extends Error {}

/** The one way in which a form is checked, sent, refused and reported as saved. */
export function useApiForm<Values extends object, Schema extends z.ZodType, Reply>(
  options: Given<Values, Schema, Reply>,
): ApiForm<Values, Reply> {
  const queryClient = useQueryClient();
  const [problem, setProblem] = useState<Error | null>(null);
  const { schema, bodyOf, renamed = {}, messages = {}, outdates, saved } = options;
  const form = useForm<Values>({
    initialValues: options.initialValues,
    validate: (values) => withMessages(bodyErrors(schema, bodyOf(values), { values, renamed }), messages),
  });
  const showProblem = (message: unknown) => setProblem(typeof message === 'string' ? new InvalidForm(message) : null);
  const refuse = (error: unknown) => {
    const fields = error instanceof ApiError ? refusedFields(error, { values: form.getValues(), renamed }) : {};
    if (Object.keys(fields).length > 0 && fields[''] === undefined) return form.setErrors(fields);
    setProblem(error instanceof Error ? error : new Error(String(error)));
  };
  const save = useMutation({
    mutationFn: options.send,
    onSuccess: async (reply) => {
      if (outdates) await queryClient.invalidateQueries({ queryKey: outdates });
      if (saved) toast(saved(reply));
      form.resetDirty();
      options.onSaved?.(reply);
    },
    onError: refuse,
  });
  return {
    ...form,
    problem,
    running: save.isPending,
    reply: save.data,
    refuse,
    submit: form.onSubmit(
      (values) => {
        showProblem(null);
        save.mutate(bodyOf(values) as z.input<Schema>);
      },
      (errors) => showProblem(errors['']),
    ),
    attempt(other, body, send) {
      const errors = bodyErrors(other, body, { values: form.getValues(), renamed });
      form.setErrors(withMessages(errors, messages));
      showProblem(errors['']);
      if (Object.keys(errors).length === 0) send(body as z.input<typeof other>).catch(refuse);
    },
  };
}

const withMessages = (errors: FormErrors, messages: Readonly<Record<string, string | undefined>>): FormErrors =>
  Object.fromEntries(Object.entries(errors).map(([name, message]) => [name, messages[name] ?? message]));
