-- Charts of all models read hours of roll-ups by the primary key, whose order is that of the table. With the grain in
-- front, the index by model looked as good to the planner, although it finds each row on another page. Created before
-- the other is dropped: reading goes on meanwhile.
CREATE INDEX "turn_rollup_model_id_grain_bucket_idx" ON "turn_rollup"("model_id", "grain", "bucket");
DROP INDEX "turn_rollup_grain_model_id_bucket_idx";
