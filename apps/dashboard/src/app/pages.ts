/** The code of the menu's pages, by their addresses; what was loaded once is not loaded again. */
export const pages = {
  '/': () => import('../routes/overview.tsx'),
  '/failures': () => import('../routes/failures.tsx'),
  '/transcripts': () => import('../routes/transcripts.tsx'),
  '/models': () => import('../routes/models.tsx'),
  '/playground': () => import('../routes/playground.tsx'),
  '/keys': () => import('../routes/keys.tsx'),
  '/usage': () => import('../routes/usage.tsx'),
  '/upstreams': () => import('../routes/upstreams.tsx'),
  '/mcp-servers': () => import('../routes/mcp.tsx'),
  '/teams': () => import('../routes/teams.tsx'),
  '/settings': () => import('../routes/settings.tsx'),
  '/audit': () => import('../routes/audit.tsx'),
} as const;

/** Loads the code of a page that somebody is about to open; if it cannot be loaded, the page shows that when it is opened. */
export const prefetch = (where: keyof typeof pages): void => void pages[where]().catch(() => {});
