export { AccountPage as Component } from '../features/session/account.tsx';
