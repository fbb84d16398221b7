export { KeyPage as Component } from '../features/keys/key-page.tsx';
