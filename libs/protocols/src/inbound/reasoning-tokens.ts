import { isObject, type Usage } from '@callsmith/turn';

/** How many of a response's tokens were reasoning, if the model server reported it. */
export function reasoningTokens({ upstream }: Usage): number | undefined {
  const details = upstream?.completion_tokens_details ?? upstream?.output_tokens_details;
  const tokens = isObject(details) ? details.reasoning_tokens : undefined;
  return typeof tokens === 'number' ? tokens : undefined;
}
