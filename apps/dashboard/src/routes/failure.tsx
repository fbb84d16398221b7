export { FailurePage as Component } from '../features/failures/failure-page.tsx';
