import { engines, type Target } from '@callsmith/protocols';
import { Fault, type Turn } from '@callsmith/turn';

/** Throws `invalid_parameter` for a file in the conversation that the model server would not take, saying where it is. */
export function refuseFiles(
  { messages }: Turn,
  { kind, upstream }: Target,
  messagePath: (message: number) => string,
): void {
  if (engines[kind].files) return;
  for (const [at, { content }] of messages.entries()) {
    if (!Array.isArray(content) || !content.some(({ type }) => type === 'file')) continue;
    const param = messagePath(at);
    throw new Fault(
      'invalid_parameter',
      `${param}: it has a file, such as a PDF document, and the upstream "${upstream}" takes none. Send its text, or pictures of its pages.`,
      { param },
    );
  }
}
