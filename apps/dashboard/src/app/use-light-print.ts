import { useEffect } from 'react';

const attribute = 'data-mantine-color-scheme';

/** Prints in light colors whatever the screen has: browsers leave dark backgrounds out, and light text would be lost. */
export function useLightPrint(): void {
  useEffect(() => {
    const { documentElement: root } = document;
    let before: string | null = null;
    const toLight = () => {
      before = root.getAttribute(attribute);
      root.setAttribute(attribute, 'light');
    };
    const back = () => {
      if (before !== null) root.setAttribute(attribute, before);
    };
    window.addEventListener('beforeprint', toLight);
    window.addEventListener('afterprint', back);
    return () => {
      window.removeEventListener('beforeprint', toLight);
      window.removeEventListener('afterprint', back);
    };
  }, []);
}
