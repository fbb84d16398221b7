-- Calls are filtered by the rules that repaired them: the newest first, those without any left aside.
CREATE INDEX "call_repaired_idx" ON "call" ("at" DESC, "turn_id" DESC) WHERE cardinality("rules") > 0;
