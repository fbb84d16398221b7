import { ModalsProvider, useModals } from '@mantine/modals';
import { type ReactNode, useEffect, useEffectEvent, useRef } from 'react';
import { Problem } from './states.tsx';

interface Given {
  readonly title: string;
  readonly children: ReactNode;
  readonly action: string;
  readonly danger?: boolean;
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks before something that cannot be undone; stays open and shows the error if it fails. */
// Its own provider comes with it, so that pages without a question do not load what dialogs need.
export const Confirm = (props: Given) => (
  <ModalsProvider labels={{ confirm: 'OK', cancel: 'Cancel' }}>
    <Question {...props} />
  </ModalsProvider>
);

function Question({ title, children, action, danger = false, onConfirm, onClose }: Given) {
  const { openConfirmModal, updateModal } = useModals();
  const run = useRef({ onConfirm, onClose });
  run.current = { onConfirm, onClose };
  const open = useEffectEvent(() => {
    const button = { ...(danger && { color: 'red' }), 'data-autofocus': true };
    const confirm = async () => {
      updateModal({ modalId, confirmProps: { ...button, loading: true }, children });
      try {
        await run.current.onConfirm();
        run.current.onClose();
      } catch (problem) {
        updateModal({
          modalId,
          confirmProps: button,
          children: (
            <>
              {children}
              <Problem error={problem} />
            </>
          ),
        });
      }
    };
    const modalId = openConfirmModal({
      title,
      children,
      size: 'md',
      labels: { confirm: action, cancel: 'Cancel' },
      confirmProps: button,
      closeOnConfirm: false,
      onConfirm: () => void confirm(),
      onClose: () => run.current.onClose(),
    });
  });
  // A dialog is opened by a call, a page's state by being drawn: opened once, when this is drawn first.
  useEffect(() => open(), []);
  return null;
}
