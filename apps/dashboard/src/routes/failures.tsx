export { FailuresPage as Component } from '../features/failures/page.tsx';
