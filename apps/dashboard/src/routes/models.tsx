export { ModelsPage as Component } from '../features/models/page.tsx';
