-- Cases that admins save for a model's probes.
CREATE TABLE "probe_case" (
  "id" TEXT NOT NULL,
  "model_id" TEXT NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "title" TEXT NOT NULL,
  "request" JSON NOT NULL,
  "expects" JSONB NOT NULL,
  CONSTRAINT "probe_case_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "probe_case_model_id_at_idx" ON "probe_case"("model_id", "at");
ALTER TABLE "probe_case" ADD CONSTRAINT "probe_case_model_id_fkey"
  FOREIGN KEY ("model_id") REFERENCES "model"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "probe" ADD COLUMN "saved_case_ids" TEXT[] DEFAULT ARRAY[]::TEXT[];
