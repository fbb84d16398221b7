export { KeysPage as Component } from '../features/keys/page.tsx';
