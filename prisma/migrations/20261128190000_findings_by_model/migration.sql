-- The page of a model reads its findings of a week by the minute.
CREATE INDEX "finding_rollup_model_id_grain_bucket_idx" ON "finding_rollup"("model_id", "grain", "bucket");
