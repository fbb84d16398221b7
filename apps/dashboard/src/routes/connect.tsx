export { ConnectPage as Component } from '../features/connect/page.tsx';
