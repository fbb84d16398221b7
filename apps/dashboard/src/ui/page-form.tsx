import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { type AnyForm, FormContent } from './form-content.tsx';

/** A form that stands on a page, with its button. */
export const PageForm = ({
  form,
  action,
  maxWidth,
  children,
}: {
  form: AnyForm;
  action: string;
  maxWidth: number;
  children: ReactNode;
}) => (
  <FormContent form={form} fields={children} leaving="page" maxWidth={maxWidth}>
    <Button type="submit" loading={form.running} style={{ alignSelf: 'flex-start' }}>
      {action}
    </Button>
  </FormContent>
);
