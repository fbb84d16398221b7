-- Calls that went out although they do not satisfy their tool's schema are counted apart (D-34). What was recorded
-- before is not judged anew: its share of such calls is 0.
ALTER TABLE "turn_rollup" ADD COLUMN "invalid" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "call_rollup" ADD COLUMN "invalid" INTEGER NOT NULL DEFAULT 0;

-- What is not clean is found by these.
DROP INDEX "turn_not_clean_idx";
DROP INDEX "turn_not_clean_model_idx";
CREATE INDEX "turn_not_clean_idx" ON "turn" ("at" DESC, "id" DESC)
  WHERE "outcome" IN ('failed', 'invalid', 'repaired') OR "error_code" IS NOT NULL;
CREATE INDEX "turn_not_clean_model_idx" ON "turn" ("model_id", "at" DESC, "id" DESC)
  WHERE "outcome" IN ('failed', 'invalid', 'repaired') OR "error_code" IS NOT NULL;

-- Words that changed.
UPDATE "turn" SET "classes" = array_replace("classes", 'EmptyTurn', 'EmptyAnswer') WHERE 'EmptyTurn' = ANY ("classes");
UPDATE "call" SET "classes" = array_replace("classes", 'EmptyTurn', 'EmptyAnswer') WHERE 'EmptyTurn' = ANY ("classes");
UPDATE "turn" SET "token_source" = 'tokenizer' WHERE "token_source" = 'tokenize';
UPDATE "finding_rollup" SET "class" = 'EmptyAnswer' WHERE "class" = 'EmptyTurn';
UPDATE "trial" SET "rows" = replace("rows"::text, '"EmptyTurn"', '"EmptyAnswer"')::jsonb
  WHERE "rows"::text LIKE '%"EmptyTurn"%';

-- From when on calls are checked: where requests were recorded before, charts say so.
INSERT INTO "setting" ("name", "value")
SELECT 'validity-since', to_jsonb(now()) WHERE EXISTS (SELECT FROM "turn_rollup")
ON CONFLICT DO NOTHING;
