export { UsagePage as Component } from '../features/usage/page.tsx';
