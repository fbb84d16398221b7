-- What was decided about groups of failures, and when users looked at them.
CREATE TABLE "failure_work" (
  "key" TEXT NOT NULL,
  "team_id" TEXT,
  "model" TEXT NOT NULL,
  "model_id" TEXT,
  "strategy_used" TEXT,
  "class" TEXT,
  "tool" TEXT,
  "shape" TEXT,
  "error_code" TEXT,
  "resolved_at" TIMESTAMPTZ(3),
  "muted_at" TIMESTAMPTZ(3),
  "muted_until" TIMESTAMPTZ(3),
  "assignee_id" TEXT,
  "note" TEXT,
  "fix_id" TEXT,
  CONSTRAINT "failure_work_pkey" PRIMARY KEY ("key")
);
CREATE INDEX "failure_work_team_id_model_idx" ON "failure_work"("team_id", "model");
ALTER TABLE "failure_work" ADD CONSTRAINT "failure_work_team_id_fkey"
  FOREIGN KEY ("team_id") REFERENCES "team"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "failure_work" ADD CONSTRAINT "failure_work_assignee_id_fkey"
  FOREIGN KEY ("assignee_id") REFERENCES "user"("id") ON DELETE SET NULL ON UPDATE CASCADE;

CREATE TABLE "failure_visit" (
  "user_id" TEXT NOT NULL,
  "seen_at" TIMESTAMPTZ(3) NOT NULL,
  "before_at" TIMESTAMPTZ(3),
  CONSTRAINT "failure_visit_pkey" PRIMARY KEY ("user_id")
);
ALTER TABLE "failure_visit" ADD CONSTRAINT "failure_visit_user_id_fkey"
  FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;
