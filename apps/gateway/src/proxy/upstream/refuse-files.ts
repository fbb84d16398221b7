import { engines, type OutboundAdapter, type Target } from '@callsmith/protocols';
import { type Content, Fault, isObject, type Turn } from '@callsmith/turn';

/**
 * Throws `invalid_parameter`, with the message's path, for a file or a linked image that the model server does not
 * accept.
 */
export function refuseFiles(
  { messages }: Turn,
  { target: { kind, upstream }, adapter }: { readonly target: Target; readonly adapter: OutboundAdapter },
  messagePath: (message: number) => string,
): void {
  const { files } = engines[kind];
  if (files && !adapter.dataImagesOnly) return;
  for (const [at, { content }] of messages.entries()) {
    if (!Array.isArray(content)) continue;
    const param = messagePath(at);
    if (!files && content.some(({ type }) => type === 'file'))
      throw new Fault(
        'invalid_parameter',
        `${param}: contains a file, such as a PDF document, which the upstream "${upstream}" does not accept. Send its text, or images of its pages.`,
        { param },
      );
    if (adapter.dataImagesOnly && hasLinkedImage(content))
      throw new Fault(
        'invalid_parameter',
        `${param}: contains the URL of an image, which the upstream "${upstream}" does not fetch. Send the image itself as a base64 data: URL.`,
        { param },
      );
  }
}

const hasLinkedImage = (content: Extract<Content, readonly unknown[]>): boolean =>
  content.some(({ type, image_url: image }) => {
    const url = type === 'image_url' ? (isObject(image) ? image.url : image) : undefined;
    return typeof url === 'string' && !/^data:[^,]*;base64,/.test(url);
  });
