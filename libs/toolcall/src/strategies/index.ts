export * from './choose.ts';
export { markersOf } from './markers.ts';
export { type Mended, type Mending, mendHistory } from './mend-history.ts';
export { shapeNative } from './native.ts';
export { joiner, type Neutraliser, neutraliser } from './neutralise.ts';
export { hindrances, shapePrompt } from './prompt.ts';
export { restoreEvents } from './restore-events.ts';
export { type Shaped, shape } from './shape.ts';
