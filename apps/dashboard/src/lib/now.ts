import { useDocumentVisibility } from '@mantine/hooks';
import { useEffect, useState } from 'react';

/** The time, updated every `everyMs` while the tab is visible. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  const visible = useDocumentVisibility() === 'visible';
  useEffect(() => {
    if (!visible) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, visible]);
  return now;
}
