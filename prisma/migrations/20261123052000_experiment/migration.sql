-- A strategy that gets a share of a model's new conversations for a time.
CREATE TABLE "experiment" (
  "id" TEXT NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "model_id" TEXT NOT NULL,
  "actor" TEXT NOT NULL,
  "strategy" TEXT NOT NULL,
  "dialect" TEXT,
  "share" INTEGER NOT NULL,
  "until" TIMESTAMPTZ(3) NOT NULL,
  "state" TEXT NOT NULL DEFAULT 'running',
  "ended_at" TIMESTAMPTZ(3),
  "conversations" TEXT[] NOT NULL,
  "before" JSONB NOT NULL,
  "result" JSONB,
  CONSTRAINT "experiment_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "experiment_model_id_at_idx" ON "experiment"("model_id", "at");
-- One at a time.
CREATE UNIQUE INDEX "experiment_running_key" ON "experiment"("model_id") WHERE "state" = 'running';
ALTER TABLE "experiment" ADD CONSTRAINT "experiment_model_id_fkey"
  FOREIGN KEY ("model_id") REFERENCES "model"("id") ON DELETE CASCADE ON UPDATE CASCADE;
