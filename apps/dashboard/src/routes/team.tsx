export { TeamPage as Component } from '../features/teams/team-page.tsx';
