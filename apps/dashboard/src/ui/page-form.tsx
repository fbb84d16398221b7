import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import css from './form-buttons.module.css';
import { type AnyForm, FormContent } from './form-content.tsx';

/** A form on a page, with its button. */
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
    <div className={css.pageButtons}>
      <Button type="submit" loading={form.running}>
        {action}
      </Button>
    </div>
  </FormContent>
);
