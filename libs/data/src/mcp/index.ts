export { countMcpCall, type McpCallMade, type McpCallOutcome, type McpCallSum, mcpCallsSince } from './calls.ts';
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
  storeTools,
  syncFileServers,
  updateMcpServer,
} from './servers.ts';
