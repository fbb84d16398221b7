import { Button, Group, Modal } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import css from './form-buttons.module.css';
import { type AnyForm, FormContent } from './form-content.tsx';

interface Given {
  readonly form: AnyForm;
  readonly title: string;
  /** What the button that sends the form says. */
  readonly action: string;
  readonly disabled?: boolean;
  /** Stands beside the buttons. */
  readonly aside?: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A form in a dialog, with its buttons. */
export function FormDialog({ form, title, action, disabled = false, aside, onClose, children }: Given) {
  // Escape closes the question about unsaved changes, not what lies under it.
  const [asking, setAsking] = useState(false);
  return (
    <Modal opened onClose={onClose} title={title} size="lg" closeOnEscape={!asking}>
      <FormContent form={form} fields={children} leaving="dialog" onAsking={setAsking}>
        <Group className={css.dialogButtons ?? ''}>
          {aside}
          <Group gap="xs" ml="auto">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={form.running} disabled={disabled}>
              {action}
            </Button>
          </Group>
        </Group>
      </FormContent>
    </Modal>
  );
}
