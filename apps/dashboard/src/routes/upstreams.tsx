export { UpstreamsPage as Component } from '../features/upstreams/page.tsx';
