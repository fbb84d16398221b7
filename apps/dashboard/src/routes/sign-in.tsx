export { SignInPage as Component } from '../features/session/sign-in.tsx';
