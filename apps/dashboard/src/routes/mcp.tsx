export { McpPage as Component } from '../features/mcp/page.tsx';
