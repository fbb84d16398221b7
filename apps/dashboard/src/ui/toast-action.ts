/** Something that is offered beside a toast, e.g. Undo. */
export interface ToastAction {
  readonly label: string;
  readonly run: () => void;
}
