import type { PastResult, ResultFormat, ResultMarker } from '../dialect.ts';

/** A result between two markers. `marker`: where the first of them counts, if it is not an unmistakable tag. */
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

/** `<tool_response>⏎…⏎</tool_response>`, as Hermes and Qwen have it; also for models whose own templates mark results by a role alone. */
export const toolResponse: ResultFormat = resultBetween('<tool_response>\n', '\n</tool_response>');

/** The same in one line. */
export const toolResponseLine: ResultFormat = resultBetween('<tool_response>', '</tool_response>');

/** `Result of NAME:⏎…`, for dialects that have no markers. */
export const resultOf: ResultFormat = {
  renderResult: ({ name, text }: PastResult) => `Result of ${name}:\n${text}`,
  resultMarkers: [{ text: 'Result of ', at: 'line', behind: /^[\w.:-]+:\s/, ambiguous: true }],
};
