// Sets the remembered colour scheme before the first paint; the dashboard itself takes over from there.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem('callsmith-color-scheme');
  } catch {
    // Storage is off: the system decides.
  }
  const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  const scheme = chosen === 'light' || chosen === 'dark' ? chosen : system;
  document.documentElement.setAttribute('data-mantine-color-scheme', scheme);
})();
