-- MCP servers, their tools as an admin accepted them, and which team may use which tool.
CREATE TABLE "mcp_server" (
  "id" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "url" TEXT,
  "origin" TEXT NOT NULL DEFAULT 'admin',
  "auth" TEXT NOT NULL DEFAULT 'none',
  "auth_name" TEXT,
  "credential" TEXT,
  "credential_key_id" TEXT,
  "enabled" BOOLEAN NOT NULL DEFAULT true,
  "timeout_ms" INTEGER NOT NULL DEFAULT 60000,
  "calls_per_minute" INTEGER,
  "concurrent_calls" INTEGER,
  "revision" TEXT,
  "checked_at" TIMESTAMPTZ(3),
  "error" TEXT,
  "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "mcp_server_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "mcp_server_name_key" ON "mcp_server"("name");

CREATE TABLE "mcp_tool" (
  "id" TEXT NOT NULL,
  "server_id" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "definition" JSONB NOT NULL,
  "changed_to" JSONB,
  "listed" BOOLEAN NOT NULL DEFAULT true,
  "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "mcp_tool_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "mcp_tool_server_id_name_key" ON "mcp_tool"("server_id", "name");
ALTER TABLE "mcp_tool" ADD CONSTRAINT "mcp_tool_server_id_fkey" FOREIGN KEY ("server_id") REFERENCES "mcp_server"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "mcp_grant" (
  "team_id" TEXT NOT NULL,
  "tool_id" TEXT NOT NULL,
  CONSTRAINT "mcp_grant_pkey" PRIMARY KEY ("team_id", "tool_id")
);
CREATE INDEX "mcp_grant_tool_id_idx" ON "mcp_grant"("tool_id");
ALTER TABLE "mcp_grant" ADD CONSTRAINT "mcp_grant_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "mcp_grant" ADD CONSTRAINT "mcp_grant_tool_id_fkey" FOREIGN KEY ("tool_id") REFERENCES "mcp_tool"("id") ON DELETE CASCADE ON UPDATE CASCADE;
