export { TeamsPage as Component } from '../features/teams/page.tsx';
