-- The authorization server that an MCP server's OAuth credential is for: it is sent to no other.
ALTER TABLE "mcp_server" ADD COLUMN "auth_issuer" TEXT;
