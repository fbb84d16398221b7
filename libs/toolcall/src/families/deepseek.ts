/** The spellings of a DeepSeek marker: the correct one, and those of quantized models: ASCII bars, `_` for U+2581. */
export const spellings = (marker: string): string[] => [
  marker,
  marker.replaceAll('▁', '_'),
  marker.replaceAll('｜', '|'),
  marker.replaceAll('｜', '|').replaceAll('▁', '_'),
];

export const sectionBegin = '<｜tool▁calls▁begin｜>';
export const sectionEnd = '<｜tool▁calls▁end｜>';
export const callBegin = '<｜tool▁call▁begin｜>';
export const callEnd = '<｜tool▁call▁end｜>';
export const separator = '<｜tool▁sep｜>';
