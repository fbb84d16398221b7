import { jsonBlock } from '../families/json-block.ts';
import { resultBetween } from '../families/result-format.ts';

/** `<|tools_prefix|>[{"NAME": {…}}]<|tools_suffix|>` */
export const apertus = jsonBlock({
  name: 'apertus',
  openingMarkers: [{ text: '<|tools_prefix|>', at: 'anywhere' }],
  closingMarkers: ['<|tools_suffix|>'],
  nameIsKey: true,
  strippedStart: '[',
  wrap: (json) => `<|tools_prefix|>[${json}]<|tools_suffix|>`,
  // the template puts results into the same turn, directly behind the calls
  result: resultBetween('[', ']', { directly: true, ambiguous: true }),
});
