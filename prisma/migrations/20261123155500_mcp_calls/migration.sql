-- Calls of tools of MCP servers, by hour.
CREATE TABLE "mcp_call_count" (
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "server_id" TEXT NOT NULL,
    "tool" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "outcome" TEXT NOT NULL,
    "calls" INTEGER NOT NULL,
    "ms" BIGINT NOT NULL,

    CONSTRAINT "mcp_call_count_pkey" PRIMARY KEY ("hour","server_id","tool","key_id","outcome")
);

-- AddForeignKey
ALTER TABLE "mcp_call_count" ADD CONSTRAINT "mcp_call_count_server_id_fkey" FOREIGN KEY ("server_id") REFERENCES "mcp_server"("id") ON DELETE CASCADE ON UPDATE CASCADE;
