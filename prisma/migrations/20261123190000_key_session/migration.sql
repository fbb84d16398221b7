-- Browsers in which the owner of a key opened a connect link: good for what that one key may see of itself.
CREATE TABLE "key_session" (
  "hash" TEXT NOT NULL,
  "key_id" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "key_session_pkey" PRIMARY KEY ("hash")
);
CREATE INDEX "key_session_expires_at_idx" ON "key_session"("expires_at");
CREATE INDEX "key_session_key_id_idx" ON "key_session"("key_id");
ALTER TABLE "key_session" ADD CONSTRAINT "key_session_key_id_fkey"
  FOREIGN KEY ("key_id") REFERENCES "api_key"("id") ON DELETE CASCADE ON UPDATE CASCADE;
