import { type ReactNode, useRef, useState } from 'react';
import { ReferenceArea } from 'recharts';
import { useAddress } from '../lib/address.ts';

interface Pointed {
  readonly activeLabel?: string | number | undefined;
}

/**
 * Dragging across a chart's columns of time, `step` seconds each, sets the time range of the address to what was dragged
 * over. `handlers` are the chart's, `area` is drawn in it. `onClick` is called for a column that is only clicked.
 */
export function useDragRange(step: number, onClick?: (at: string) => void) {
  const address = useAddress();
  const [range, setRange] = useState<{ readonly from: string; readonly to: string } | null>(null);
  const dragged = useRef(false);
  const move = ({ activeLabel }: Pointed) => {
    if (range && activeLabel !== undefined && activeLabel !== range.to) {
      dragged.current = true;
      setRange({ ...range, to: String(activeLabel) });
    }
  };
  const end = () => {
    if (range && range.from !== range.to) {
      const [first = '', last = ''] = [range.from, range.to].sort();
      // What has not passed yet is no part of it.
      const to = Math.min(Date.parse(last) + step * 1000, Date.now());
      address.set({ from: new Date(first).toISOString(), to: new Date(to).toISOString(), range: null }, true);
    }
    setRange(null);
  };
  const handlers = {
    onMouseDown: ({ activeLabel }: Pointed) => {
      dragged.current = false;
      if (activeLabel !== undefined) setRange({ from: String(activeLabel), to: String(activeLabel) });
    },
    onMouseMove: move,
    onMouseUp: end,
    onMouseLeave: () => setRange(null),
    onClick: ({ activeLabel }: Pointed) => {
      if (!dragged.current && activeLabel !== undefined) onClick?.(String(activeLabel));
    },
    style: { userSelect: 'none' as const },
  };
  const area: ReactNode = range && range.from !== range.to && (
    <ReferenceArea x1={range.from} x2={range.to} fill="var(--accent)" fillOpacity={0.18} />
  );
  return { handlers, area };
}
