export { OverviewPage as Component } from '../features/overview/page.tsx';
