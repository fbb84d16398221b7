export { ModelPage as Component } from '../features/models/model-page.tsx';
