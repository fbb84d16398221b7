import { createBrowserRouter } from 'react-router';
import { sessionQuery } from '../lib/session.ts';
import { PageFailed } from './page-failed.tsx';
import { queryClient } from './query-client.ts';
import { Shell } from './shell.tsx';

// While the first page's code comes in.
const Blank = () => null;

function askWhoThisIs(): null {
  void queryClient.prefetchQuery(sessionQuery);
  return null;
}

/** Every view has an address; each route is loaded when it is first opened. */
export const router = createBrowserRouter([
  { path: '/sign-in', lazy: () => import('../routes/sign-in.tsx'), ErrorBoundary: PageFailed, HydrateFallback: Blank },
  { path: '/link', lazy: () => import('../routes/link.tsx'), ErrorBoundary: PageFailed, HydrateFallback: Blank },
  {
    Component: Shell,
    // Asked for while the page's code comes in, not after it.
    loader: askWhoThisIs,
    HydrateFallback: Blank,
    ErrorBoundary: PageFailed,
    children: [
      {
        ErrorBoundary: PageFailed,
        children: [
          { index: true, lazy: () => import('../routes/overview.tsx') },
          { path: 'failures', lazy: () => import('../routes/failures.tsx') },
          { path: 'transcripts', lazy: () => import('../routes/transcripts.tsx') },
          { path: 'failures/:id', lazy: () => import('../routes/failure.tsx') },
          { path: 'models', lazy: () => import('../routes/models.tsx') },
          { path: 'models/:id', lazy: () => import('../routes/model.tsx') },
          { path: 'keys', lazy: () => import('../routes/keys.tsx') },
          { path: 'usage', lazy: () => import('../routes/usage.tsx') },
          { path: 'upstreams', lazy: () => import('../routes/upstreams.tsx') },
          { path: 'mcp-servers', lazy: () => import('../routes/mcp.tsx') },
          { path: 'teams', lazy: () => import('../routes/teams.tsx') },
          { path: 'settings', lazy: () => import('../routes/settings.tsx') },
          { path: 'audit', lazy: () => import('../routes/audit.tsx') },
          { path: 'account', lazy: () => import('../routes/account.tsx') },
          { path: '*', lazy: () => import('../routes/not-found.tsx') },
        ],
      },
    ],
  },
]);
