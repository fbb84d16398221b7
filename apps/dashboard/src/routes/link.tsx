export { LinkPage as Component } from '../features/session/link.tsx';
