import { Stack, Text } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { type ApiForm, InvalidForm } from '../lib/use-api-form.ts';
import { Problem } from './states.tsx';
import { UnsavedChanges } from './unsaved-changes.tsx';

/** What forms look at of theirs, whatever their values are. */
export type AnyForm = Pick<ApiForm<object>, 'errors' | 'isDirty' | 'problem' | 'running' | 'submit'>;

/**
 * The fields of a form, what was wrong with it as a whole, and `children` below. Goes to the first field that was
 * refused, and asks before unsaved changes are lost: by leaving the page, by closing the dialog, or never (`free`).
 */
export function FormContent({
  form,
  fields,
  leaving,
  onAsking,
  problem = form.problem && <FormProblem error={form.problem} />,
  maxWidth,
  children,
}: {
  form: AnyForm;
  fields: ReactNode;
  leaving: 'page' | 'dialog' | 'free';
  /** Told whether somebody is being asked about unsaved changes. */
  onAsking?: (asking: boolean) => void;
  /** How the problem of the form as a whole is shown, where it is not as everywhere. */
  problem?: ReactNode;
  maxWidth?: number;
  children: ReactNode;
}) {
  const element = useRef<HTMLFormElement>(null);
  const { errors } = form;
  // The first one on the page, which the order of the errors does not show.
  useEffect(() => {
    if (Object.keys(errors).length > 0) element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [errors]);
  return (
    <form ref={element} onSubmit={form.submit} noValidate>
      <Stack maw={maxWidth}>
        {fields}
        {problem}
        {children}
      </Stack>
      {leaving !== 'free' && form.isDirty() && (
        <UnsavedChanges still={form.isDirty} inDialog={leaving === 'dialog'} onAsking={onAsking} />
      )}
    </form>
  );
}

const FormProblem = ({ error }: { error: Error }) =>
  error instanceof InvalidForm ? (
    <Text c="var(--mantine-color-error)" fz="sm" role="alert">
      {error.message}
    </Text>
  ) : (
    <Problem error={error} />
  );
