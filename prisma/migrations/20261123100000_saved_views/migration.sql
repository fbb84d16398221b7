-- Named filters of requests, of one user or of a team, and which of them a user's menu opens a screen with.
CREATE TABLE "saved_view" (
  "id" TEXT NOT NULL,
  "screen" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "user_id" TEXT,
  "team_id" TEXT,
  "address" JSONB NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "saved_view_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "saved_view_owner" CHECK (("user_id" IS NULL) <> ("team_id" IS NULL))
);
CREATE UNIQUE INDEX "saved_view_user_id_screen_name_key" ON "saved_view"("user_id", "screen", "name");
CREATE UNIQUE INDEX "saved_view_team_id_screen_name_key" ON "saved_view"("team_id", "screen", "name");
ALTER TABLE "saved_view" ADD CONSTRAINT "saved_view_user_id_fkey"
  FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "saved_view" ADD CONSTRAINT "saved_view_team_id_fkey"
  FOREIGN KEY ("team_id") REFERENCES "team"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "default_view" (
  "user_id" TEXT NOT NULL,
  "screen" TEXT NOT NULL,
  "view_id" TEXT NOT NULL,
  CONSTRAINT "default_view_pkey" PRIMARY KEY ("user_id", "screen")
);
CREATE INDEX "default_view_view_id_idx" ON "default_view"("view_id");
ALTER TABLE "default_view" ADD CONSTRAINT "default_view_user_id_fkey"
  FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "default_view" ADD CONSTRAINT "default_view_view_id_fkey"
  FOREIGN KEY ("view_id") REFERENCES "saved_view"("id") ON DELETE CASCADE ON UPDATE CASCADE;
