import type { PastResult, ResultFormat, ResultMarker } from '../dialect.ts';

/** A result between two markers. `marker`: where the first is recognized, if it is not an unmistakable tag. */
export function resultBetween(
  open: string,
  close: string,
  marker: Omit<ResultMarker, 'text' | 'at'> & { readonly at?: ResultMarker['at'] } = {},
): ResultFormat {
  return {
    renderResult: ({ text }) => `${open}${text}${close}`,
    resultMarkers: [{ at: 'anywhere', ...marker, text: open.trim() }],
    resultEnds: [close.trim()],
  };
}

/**
 * `<tool_response>⏎…⏎</tool_response>`, as in Hermes and Qwen; also for models whose own templates mark results only by
 * a role.
 */
export const toolResponse: ResultFormat = resultBetween('<tool_response>\n', '\n</tool_response>');

/** The same on one line. */
export const toolResponseLine: ResultFormat = resultBetween('<tool_response>', '</tool_response>');

/** `Result of NAME:⏎…`, for dialects without markers. */
export const resultOf: ResultFormat = {
  renderResult: ({ name, text }: PastResult) => `Result of ${name}:\n${text}`,
  resultMarkers: [{ text: 'Result of ', at: 'line', behind: /^[\w.:-]+:\s/, ambiguous: true }],
};
