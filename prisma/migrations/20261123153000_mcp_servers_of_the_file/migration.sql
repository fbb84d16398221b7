-- MCP servers that the configuration file manages.
ALTER TABLE "mcp_server" ADD COLUMN "managed_by" TEXT;
