import { it } from 'vitest';
import { markersOf } from '/work/main/libs/toolcall/src/strategies/markers.ts';
import { dialectNamed } from '/work/main/libs/toolcall/src/dialects/index.ts';
import { ToolTable } from '@callsmith/turn';
it('x', () => {
  const d = dialectNamed('hermes')!;
  const m = markersOf(d, new ToolTable());
  const code = 'if (a < b) { return [x, y].map((z) => `<div>${z}</div>`); } // Alles "klar"\n'.repeat(14000);
  for (let i = 0; i < 5; i++) { const s = performance.now(); m.neutralise(code); console.log("N " + (performance.now() - s)); }
  let s = performance.now(); for (let i = 0; i < 1000; i++) markersOf(d, new ToolTable()); console.log('markersOf us', (performance.now() - s));
});
