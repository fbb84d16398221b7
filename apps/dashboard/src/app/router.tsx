import { createBrowserRouter } from 'react-router';
import { sessionQuery } from '../lib/session.ts';
import { PageFailed } from './page-failed.tsx';
import { pages } from './pages.ts';
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
  { path: '/connect', lazy: () => import('../routes/connect.tsx'), ErrorBoundary: PageFailed, HydrateFallback: Blank },
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
          { index: true, lazy: pages['/'] },
          { path: 'failures', lazy: pages['/failures'] },
          { path: 'transcripts', lazy: pages['/transcripts'] },
          { path: 'failures/:id', lazy: () => import('../routes/failure.tsx') },
          { path: 'models', lazy: pages['/models'] },
          { path: 'models/:id', lazy: () => import('../routes/model.tsx') },
          { path: 'playground', lazy: pages['/playground'] },
          { path: 'keys', lazy: pages['/keys'] },
          { path: 'keys/:id', lazy: () => import('../routes/key.tsx') },
          { path: 'usage', lazy: pages['/usage'] },
          { path: 'upstreams', lazy: pages['/upstreams'] },
          { path: 'mcp-servers', lazy: pages['/mcp-servers'] },
          { path: 'teams', lazy: pages['/teams'] },
          { path: 'teams/:id', lazy: () => import('../routes/team.tsx') },
          { path: 'settings', lazy: pages['/settings'] },
          { path: 'audit', lazy: pages['/audit'] },
          { path: 'account', lazy: () => import('../routes/account.tsx') },
          { path: '*', lazy: () => import('../routes/not-found.tsx') },
        ],
      },
    ],
  },
]);
