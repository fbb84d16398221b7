-- The overview of all teams reads one row for each bucket and model, not one for each key, model, client and so on.

-- CreateTable
CREATE TABLE "model_rollup" (
    "grain" TEXT NOT NULL,
    "bucket" TIMESTAMPTZ(0) NOT NULL,
    "model_id" TEXT NOT NULL,
    "turns" INTEGER NOT NULL,
    "clean" INTEGER NOT NULL,
    "repaired" INTEGER NOT NULL,
    "invalid" INTEGER NOT NULL,
    "failed" INTEGER NOT NULL,
    "none" INTEGER NOT NULL,
    "errors" INTEGER NOT NULL,
    "input_tokens" BIGINT NOT NULL,
    "output_tokens" BIGINT NOT NULL,
    "cached_tokens" BIGINT NOT NULL,
    "injected_tokens" BIGINT NOT NULL,
    "spend" BIGINT NOT NULL,
    "added" INTEGER[],
    "first_token" INTEGER[],

    CONSTRAINT "model_rollup_pkey" PRIMARY KEY ("grain","bucket","model_id")
);

-- What "model_rollup" holds.
CREATE VIEW "sums_by_model" AS SELECT
  "grain", "bucket", "model_id", sum("turns")::int AS "turns", sum("clean")::int AS "clean",
  sum("repaired")::int AS "repaired", sum("invalid")::int AS "invalid", sum("failed")::int AS "failed",
  sum("none")::int AS "none", sum("errors")::int AS "errors", sum("input_tokens")::bigint AS "input_tokens",
  sum("output_tokens")::bigint AS "output_tokens", sum("cached_tokens")::bigint AS "cached_tokens",
  sum("injected_tokens")::bigint AS "injected_tokens", sum("spend")::bigint AS "spend",
  ARRAY[
    coalesce(sum("added"[1]), 0)::int, coalesce(sum("added"[2]), 0)::int, coalesce(sum("added"[3]), 0)::int,
    coalesce(sum("added"[4]), 0)::int, coalesce(sum("added"[5]), 0)::int, coalesce(sum("added"[6]), 0)::int,
    coalesce(sum("added"[7]), 0)::int, coalesce(sum("added"[8]), 0)::int, coalesce(sum("added"[9]), 0)::int,
    coalesce(sum("added"[10]), 0)::int, coalesce(sum("added"[11]), 0)::int, coalesce(sum("added"[12]), 0)::int,
    coalesce(sum("added"[13]), 0)::int, coalesce(sum("added"[14]), 0)::int, coalesce(sum("added"[15]), 0)::int,
    coalesce(sum("added"[16]), 0)::int, coalesce(sum("added"[17]), 0)::int, coalesce(sum("added"[18]), 0)::int,
    coalesce(sum("added"[19]), 0)::int, coalesce(sum("added"[20]), 0)::int, coalesce(sum("added"[21]), 0)::int,
    coalesce(sum("added"[22]), 0)::int, coalesce(sum("added"[23]), 0)::int, coalesce(sum("added"[24]), 0)::int,
    coalesce(sum("added"[25]), 0)::int, coalesce(sum("added"[26]), 0)::int, coalesce(sum("added"[27]), 0)::int,
    coalesce(sum("added"[28]), 0)::int, coalesce(sum("added"[29]), 0)::int, coalesce(sum("added"[30]), 0)::int,
    coalesce(sum("added"[31]), 0)::int, coalesce(sum("added"[32]), 0)::int, coalesce(sum("added"[33]), 0)::int,
    coalesce(sum("added"[34]), 0)::int, coalesce(sum("added"[35]), 0)::int, coalesce(sum("added"[36]), 0)::int,
    coalesce(sum("added"[37]), 0)::int, coalesce(sum("added"[38]), 0)::int, coalesce(sum("added"[39]), 0)::int,
    coalesce(sum("added"[40]), 0)::int, coalesce(sum("added"[41]), 0)::int, coalesce(sum("added"[42]), 0)::int,
    coalesce(sum("added"[43]), 0)::int, coalesce(sum("added"[44]), 0)::int, coalesce(sum("added"[45]), 0)::int,
    coalesce(sum("added"[46]), 0)::int, coalesce(sum("added"[47]), 0)::int, coalesce(sum("added"[48]), 0)::int
  ] AS "added",
  ARRAY[
    coalesce(sum("first_token"[1]), 0)::int, coalesce(sum("first_token"[2]), 0)::int, coalesce(sum("first_token"[3]), 0)::int,
    coalesce(sum("first_token"[4]), 0)::int, coalesce(sum("first_token"[5]), 0)::int, coalesce(sum("first_token"[6]), 0)::int,
    coalesce(sum("first_token"[7]), 0)::int, coalesce(sum("first_token"[8]), 0)::int, coalesce(sum("first_token"[9]), 0)::int,
    coalesce(sum("first_token"[10]), 0)::int, coalesce(sum("first_token"[11]), 0)::int, coalesce(sum("first_token"[12]), 0)::int,
    coalesce(sum("first_token"[13]), 0)::int, coalesce(sum("first_token"[14]), 0)::int, coalesce(sum("first_token"[15]), 0)::int,
    coalesce(sum("first_token"[16]), 0)::int, coalesce(sum("first_token"[17]), 0)::int, coalesce(sum("first_token"[18]), 0)::int,
    coalesce(sum("first_token"[19]), 0)::int, coalesce(sum("first_token"[20]), 0)::int, coalesce(sum("first_token"[21]), 0)::int,
    coalesce(sum("first_token"[22]), 0)::int, coalesce(sum("first_token"[23]), 0)::int, coalesce(sum("first_token"[24]), 0)::int,
    coalesce(sum("first_token"[25]), 0)::int, coalesce(sum("first_token"[26]), 0)::int, coalesce(sum("first_token"[27]), 0)::int,
    coalesce(sum("first_token"[28]), 0)::int, coalesce(sum("first_token"[29]), 0)::int, coalesce(sum("first_token"[30]), 0)::int,
    coalesce(sum("first_token"[31]), 0)::int, coalesce(sum("first_token"[32]), 0)::int, coalesce(sum("first_token"[33]), 0)::int,
    coalesce(sum("first_token"[34]), 0)::int, coalesce(sum("first_token"[35]), 0)::int, coalesce(sum("first_token"[36]), 0)::int,
    coalesce(sum("first_token"[37]), 0)::int, coalesce(sum("first_token"[38]), 0)::int, coalesce(sum("first_token"[39]), 0)::int,
    coalesce(sum("first_token"[40]), 0)::int, coalesce(sum("first_token"[41]), 0)::int, coalesce(sum("first_token"[42]), 0)::int,
    coalesce(sum("first_token"[43]), 0)::int, coalesce(sum("first_token"[44]), 0)::int, coalesce(sum("first_token"[45]), 0)::int,
    coalesce(sum("first_token"[46]), 0)::int, coalesce(sum("first_token"[47]), 0)::int, coalesce(sum("first_token"[48]), 0)::int
  ] AS "first_token"
FROM "turn_rollup" GROUP BY "grain", "bucket", "model_id";

-- Sets the sums of the buckets and models that a statement changed. Triggers call it, as an older version of the product
-- may still write roll-ups during an upgrade. One at a time: for all together, all of the table would be read.
CREATE FUNCTION "follow_turn_rollup"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  part record;
BEGIN
  FOR part IN SELECT DISTINCT "grain", "bucket", "model_id" FROM changed LOOP
    DELETE FROM "model_rollup"
      WHERE "grain" = part."grain" AND "bucket" = part."bucket" AND "model_id" = part."model_id";
    INSERT INTO "model_rollup" SELECT * FROM "sums_by_model"
      WHERE "grain" = part."grain" AND "bucket" = part."bucket" AND "model_id" = part."model_id";
  END LOOP;
  RETURN NULL;
END $$;

-- Takes the lock of the roll-up before any row is locked, so that nobody waits for the other in a circle.
CREATE FUNCTION "lock_turn_rollup"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(5275180);
  RETURN NULL;
END $$;

CREATE TRIGGER "turn_rollup_changing" BEFORE INSERT OR UPDATE OR DELETE ON "turn_rollup"
  FOR EACH STATEMENT EXECUTE FUNCTION "lock_turn_rollup"();
CREATE TRIGGER "turn_rollup_inserted" AFTER INSERT ON "turn_rollup"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION "follow_turn_rollup"();
CREATE TRIGGER "turn_rollup_updated" AFTER UPDATE ON "turn_rollup"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION "follow_turn_rollup"();
CREATE TRIGGER "turn_rollup_deleted" AFTER DELETE ON "turn_rollup"
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION "follow_turn_rollup"();

INSERT INTO "model_rollup" SELECT * FROM "sums_by_model";
