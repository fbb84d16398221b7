export { grantedTools, setGrants } from './grants.ts';
export {
  acceptTools,
  findMcpServer,
  insertMcpServer,
  listMcpServers,
  type McpServerDetail,
  type McpToolRow,
  mcpServerIsNamed,
  removeMcpServer,
  type SeenTools,
  storeTools,
  syncFileServers,
  updateMcpServer,
} from './servers.ts';
