export { SettingsPage as Component } from '../features/settings/page.tsx';
