import { queryOptions } from '@tanstack/react-query';
import { client } from '../../lib/api.ts';

/** MCP servers with their tools. */
export const mcpServersQuery = queryOptions({
  queryKey: ['mcp-servers'],
  queryFn: ({ signal }) => client.mcpServers.list(undefined, signal),
});

/** Teams, for those who give them tools. */
export const teamsQuery = queryOptions({
  queryKey: ['teams'],
  queryFn: ({ signal }) => client.teams.list(undefined, signal),
});
