-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "team" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "stores_bodies" BOOLEAN NOT NULL DEFAULT true,
    "demo" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "team_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "user" (
    "id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "name" TEXT,
    "role" TEXT NOT NULL,
    "team_id" TEXT,
    "password_hash" TEXT,
    "oidc_subject" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "disabled_at" TIMESTAMPTZ(3),

    CONSTRAINT "user_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "session" (
    "hash" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "session_pkey" PRIMARY KEY ("hash")
);

-- CreateTable
CREATE TABLE "one_time_link" (
    "hash" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "user_id" TEXT,
    "key_id" TEXT,
    "ciphertext" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "one_time_link_pkey" PRIMARY KEY ("hash")
);

-- CreateTable
CREATE TABLE "api_key" (
    "id" TEXT NOT NULL,
    "team_id" TEXT NOT NULL,
    "holder" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "hint" TEXT NOT NULL,
    "kind" TEXT NOT NULL DEFAULT 'issued',
    "allowed_models" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "all_models" BOOLEAN NOT NULL DEFAULT true,
    "requests_per_minute" INTEGER,
    "tokens_per_minute" BIGINT,
    "concurrent_streams" INTEGER,
    "token_budget" BIGINT,
    "budget_period" TEXT,
    "created_by" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "rotated_to" TEXT,
    "last_used_at" TIMESTAMPTZ(3),
    "last_client" TEXT,

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "upstream" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "kind" TEXT,
    "kind_source" TEXT NOT NULL DEFAULT 'declared',
    "base_url" TEXT NOT NULL,
    "origin" TEXT NOT NULL DEFAULT 'admin',
    "credential" TEXT,
    "credential_key_id" TEXT,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "connect_timeout_ms" INTEGER NOT NULL DEFAULT 10000,
    "first_byte_timeout_ms" INTEGER NOT NULL DEFAULT 300000,
    "idle_timeout_ms" INTEGER NOT NULL DEFAULT 300000,
    "max_connections" INTEGER NOT NULL DEFAULT 1024,
    "engine_version" TEXT,
    "refuses" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "removed_at" TIMESTAMPTZ(3),

    CONSTRAINT "upstream_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "upstream_health" (
    "upstream_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "ok" BOOLEAN NOT NULL,
    "latency_ms" INTEGER,
    "error" TEXT,

    CONSTRAINT "upstream_health_pkey" PRIMARY KEY ("upstream_id","at")
);

-- CreateTable
CREATE TABLE "model" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "aliases" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "strategy" TEXT NOT NULL DEFAULT 'auto',
    "strategy_source" TEXT NOT NULL DEFAULT 'default',
    "dialect" TEXT,
    "hold_bytes" INTEGER,
    "holds_whole" BOOLEAN NOT NULL DEFAULT false,
    "strict_history" BOOLEAN NOT NULL DEFAULT false,
    "reasoning_prefilled" BOOLEAN,
    "context_length" INTEGER,
    "context_source" TEXT NOT NULL DEFAULT 'default',
    "capabilities" JSONB NOT NULL DEFAULT '{}',
    "prompt_addition" TEXT,
    "tool_call_limit" INTEGER,
    "demo" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "removed_at" TIMESTAMPTZ(3),

    CONSTRAINT "model_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "model_upstream" (
    "model_id" TEXT NOT NULL,
    "upstream_id" TEXT NOT NULL,
    "upstream_model" TEXT NOT NULL,
    "position" INTEGER NOT NULL DEFAULT 0,
    "weight" INTEGER NOT NULL DEFAULT 1,
    "source" TEXT NOT NULL DEFAULT 'discovered',
    "listed" BOOLEAN NOT NULL DEFAULT true,

    CONSTRAINT "model_upstream_pkey" PRIMARY KEY ("model_id","upstream_id")
);

-- CreateTable
CREATE TABLE "learned" (
    "model_id" TEXT NOT NULL,
    "upstream_id" TEXT NOT NULL,
    "what" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "engine_version" TEXT,
    "reason" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "learned_pkey" PRIMARY KEY ("model_id","upstream_id","what")
);

-- CreateTable
CREATE TABLE "strategy_change" (
    "id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "model_id" TEXT NOT NULL,
    "from_strategy" TEXT NOT NULL,
    "to_strategy" TEXT NOT NULL,
    "from_dialect" TEXT,
    "to_dialect" TEXT,
    "actor" TEXT NOT NULL,
    "reason" TEXT,

    CONSTRAINT "strategy_change_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "audit" (
    "id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "actor" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "target_kind" TEXT NOT NULL,
    "target_id" TEXT NOT NULL,
    "team_id" TEXT,
    "before" JSONB,
    "after" JSONB,
    "reason" TEXT,

    CONSTRAINT "audit_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "setting" (
    "name" TEXT NOT NULL,
    "value" JSONB NOT NULL,

    CONSTRAINT "setting_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "turn" (
    "id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "request_id" TEXT NOT NULL,
    "route" TEXT NOT NULL,
    "team_id" TEXT,
    "key_id" TEXT,
    "model_id" TEXT,
    "model" TEXT NOT NULL,
    "upstream_id" TEXT,
    "engine_version" TEXT,
    "strategy" TEXT,
    "strategy_used" TEXT,
    "dialect" TEXT,
    "product_version" TEXT NOT NULL,
    "client" TEXT NOT NULL,
    "conversation" TEXT,
    "streamed" BOOLEAN NOT NULL,
    "outcome" TEXT,
    "classes" TEXT[],
    "tools_offered" INTEGER NOT NULL,
    "calls" INTEGER NOT NULL,
    "injected_tokens" INTEGER,
    "input_tokens" BIGINT,
    "output_tokens" BIGINT,
    "cached_tokens" BIGINT,
    "token_source" TEXT,
    "added_us" INTEGER,
    "first_token_ms" INTEGER,
    "total_ms" INTEGER NOT NULL,
    "attempts" INTEGER NOT NULL,
    "status" INTEGER NOT NULL,
    "error_origin" TEXT,
    "error_code" TEXT,
    "error_message" TEXT,
    "stored" BOOLEAN NOT NULL,

    CONSTRAINT "turn_pkey" PRIMARY KEY ("id","at")
) PARTITION BY RANGE ("at");

-- CreateTable
CREATE TABLE "call" (
    "turn_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "n" INTEGER NOT NULL,
    "tool" TEXT NOT NULL,
    "outcome" TEXT NOT NULL,
    "classes" TEXT[],
    "rules" TEXT[],
    "action" TEXT,
    "bytes" INTEGER NOT NULL,
    "shape" TEXT,

    CONSTRAINT "call_pkey" PRIMARY KEY ("turn_id","n","at")
) PARTITION BY RANGE ("at");

-- CreateTable
CREATE TABLE "turn_body" (
    "turn_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "client_request" TEXT,
    "upstream_request" TEXT,
    "raw" JSONB,
    "delivered" JSONB,
    "notes" JSONB NOT NULL,
    "settings" JSONB NOT NULL,

    CONSTRAINT "turn_body_pkey" PRIMARY KEY ("turn_id","at")
) PARTITION BY RANGE ("at");

-- CreateTable
CREATE TABLE "turn_rollup" (
    "grain" TEXT NOT NULL,
    "bucket" TIMESTAMPTZ(0) NOT NULL,
    "team_id" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "model_id" TEXT NOT NULL,
    "upstream_id" TEXT NOT NULL,
    "strategy_used" TEXT NOT NULL,
    "dialect" TEXT NOT NULL,
    "client" TEXT NOT NULL,
    "turns" INTEGER NOT NULL,
    "clean" INTEGER NOT NULL,
    "repaired" INTEGER NOT NULL,
    "failed" INTEGER NOT NULL,
    "none" INTEGER NOT NULL,
    "errors" INTEGER NOT NULL,
    "input_tokens" BIGINT NOT NULL,
    "output_tokens" BIGINT NOT NULL,
    "cached_tokens" BIGINT NOT NULL,
    "injected_tokens" BIGINT NOT NULL,
    "added" INTEGER[],
    "first_token" INTEGER[],

    CONSTRAINT "turn_rollup_pkey" PRIMARY KEY ("grain","bucket","team_id","key_id","model_id","upstream_id","strategy_used","dialect","client")
);

-- CreateTable
CREATE TABLE "call_rollup" (
    "bucket" TIMESTAMPTZ(0) NOT NULL,
    "team_id" TEXT NOT NULL,
    "model_id" TEXT NOT NULL,
    "upstream_id" TEXT NOT NULL,
    "strategy_used" TEXT NOT NULL,
    "tool" TEXT NOT NULL,
    "clean" INTEGER NOT NULL,
    "repaired" INTEGER NOT NULL,
    "failed" INTEGER NOT NULL,

    CONSTRAINT "call_rollup_pkey" PRIMARY KEY ("bucket","team_id","model_id","upstream_id","strategy_used","tool")
);

-- CreateTable
CREATE TABLE "finding_rollup" (
    "grain" TEXT NOT NULL,
    "bucket" TIMESTAMPTZ(0) NOT NULL,
    "team_id" TEXT NOT NULL,
    "model_id" TEXT NOT NULL,
    "upstream_id" TEXT NOT NULL,
    "strategy_used" TEXT NOT NULL,
    "class" TEXT NOT NULL,
    "rule" TEXT NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "finding_rollup_pkey" PRIMARY KEY ("grain","bucket","team_id","model_id","upstream_id","strategy_used","class","rule")
);

-- CreateTable
CREATE TABLE "rollup_mark" (
    "grain" TEXT NOT NULL,
    "bucket" TIMESTAMPTZ(0) NOT NULL,
    "marked_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "rollup_mark_pkey" PRIMARY KEY ("grain","bucket")
);

-- CreateTable
CREATE TABLE "response_state" (
    "id" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "previous_id" TEXT,
    "model" TEXT NOT NULL,
    "ciphertext" TEXT NOT NULL,
    "cipher_key_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "response_state_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "counter" (
    "name" TEXT NOT NULL,
    "window" TIMESTAMPTZ(0) NOT NULL,
    "value" BIGINT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "counter_pkey" PRIMARY KEY ("name","window")
);

-- CreateTable
CREATE TABLE "stream_lease" (
    "id" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "gateway_id" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "stream_lease_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "team_name_key" ON "team"("name");

-- CreateIndex
CREATE UNIQUE INDEX "user_email_key" ON "user"("email");

-- CreateIndex
CREATE UNIQUE INDEX "user_oidc_subject_key" ON "user"("oidc_subject");

-- CreateIndex
CREATE INDEX "session_expires_at_idx" ON "session"("expires_at");

-- CreateIndex
CREATE INDEX "one_time_link_expires_at_idx" ON "one_time_link"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "api_key_hash_key" ON "api_key"("hash");

-- CreateIndex
CREATE INDEX "api_key_team_id_idx" ON "api_key"("team_id");

-- CreateIndex
CREATE UNIQUE INDEX "upstream_name_key" ON "upstream"("name");

-- CreateIndex
CREATE UNIQUE INDEX "model_name_key" ON "model"("name");

-- CreateIndex
CREATE INDEX "strategy_change_model_id_at_idx" ON "strategy_change"("model_id", "at");

-- CreateIndex
CREATE INDEX "strategy_change_at_idx" ON "strategy_change"("at");

-- CreateIndex
CREATE INDEX "audit_at_idx" ON "audit"("at");

-- CreateIndex
CREATE INDEX "audit_target_kind_target_id_at_idx" ON "audit"("target_kind", "target_id", "at");

-- CreateIndex
CREATE INDEX "turn_at_id_idx" ON "turn"("at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "turn_model_id_at_idx" ON "turn"("model_id", "at" DESC);

-- CreateIndex
CREATE INDEX "turn_team_id_at_idx" ON "turn"("team_id", "at" DESC);

-- CreateIndex
CREATE INDEX "turn_key_id_at_idx" ON "turn"("key_id", "at" DESC);

-- CreateIndex
CREATE INDEX "call_at_idx" ON "call"("at");

-- CreateIndex
CREATE INDEX "call_tool_at_turn_id_idx" ON "call"("tool", "at" DESC, "turn_id" DESC);

-- CreateIndex
CREATE INDEX "turn_rollup_grain_model_id_bucket_idx" ON "turn_rollup"("grain", "model_id", "bucket");

-- CreateIndex
CREATE INDEX "response_state_expires_at_idx" ON "response_state"("expires_at");

-- CreateIndex
CREATE INDEX "counter_expires_at_idx" ON "counter"("expires_at");

-- CreateIndex
CREATE INDEX "stream_lease_key_id_idx" ON "stream_lease"("key_id");

-- AddForeignKey
ALTER TABLE "user" ADD CONSTRAINT "user_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "session" ADD CONSTRAINT "session_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "upstream_health" ADD CONSTRAINT "upstream_health_upstream_id_fkey" FOREIGN KEY ("upstream_id") REFERENCES "upstream"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "model_upstream" ADD CONSTRAINT "model_upstream_model_id_fkey" FOREIGN KEY ("model_id") REFERENCES "model"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "model_upstream" ADD CONSTRAINT "model_upstream_upstream_id_fkey" FOREIGN KEY ("upstream_id") REFERENCES "upstream"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "learned" ADD CONSTRAINT "learned_model_id_fkey" FOREIGN KEY ("model_id") REFERENCES "model"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "strategy_change" ADD CONSTRAINT "strategy_change_model_id_fkey" FOREIGN KEY ("model_id") REFERENCES "model"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What follows is written by hand: what Prisma's schema cannot say.

-- The failures list and its filters never look at clean turns.
CREATE INDEX "turn_not_clean_idx" ON "turn" ("at" DESC, "id" DESC)
  WHERE "outcome" IN ('failed', 'repaired') OR "error_code" IS NOT NULL;
CREATE INDEX "turn_not_clean_model_idx" ON "turn" ("model_id", "at" DESC, "id" DESC)
  WHERE "outcome" IN ('failed', 'repaired') OR "error_code" IS NOT NULL;
CREATE INDEX "call_not_clean_tool_idx" ON "call" ("tool", "at" DESC, "turn_id" DESC) WHERE "outcome" <> 'clean';
CREATE INDEX "call_shape_idx" ON "call" ("shape", "at" DESC, "turn_id" DESC) WHERE "shape" IS NOT NULL;

-- Makes the daily partitions of turn, call and turn_body from one UTC day to another, both included. There is no
-- default partition: rows of a day without one are refused, and the writer makes the day and tries again (D-27).
CREATE FUNCTION "make_days"("first" date, "last" date) RETURNS integer LANGUAGE plpgsql
SET lock_timeout = '5s' AS $$
DECLARE
  day date;
  parent text;
  child text;
  made integer := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(5275171);
  FOREACH parent IN ARRAY ARRAY['turn', 'call', 'turn_body'] LOOP
    day := "first";
    WHILE day <= "last" LOOP
      child := parent || '_' || to_char(day, 'YYYYMMDD');
      IF to_regclass(format('%I', child)) IS NULL THEN
        EXECUTE format(
          'CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)',
          child, parent, day::text || ' 00:00:00+00', (day + 1)::text || ' 00:00:00+00');
        made := made + 1;
      END IF;
      day := day + 1;
    END LOOP;
  END LOOP;
  RETURN made;
END $$;

-- Drops the daily partitions of one table that end on or before a UTC day.
CREATE FUNCTION "drop_days"("parent" text, "before" date) RETURNS integer LANGUAGE plpgsql
SET lock_timeout = '5s' AS $$
DECLARE
  child text;
  dropped integer := 0;
BEGIN
  IF "parent" NOT IN ('turn', 'call', 'turn_body') THEN
    RAISE EXCEPTION 'not a table with days: %', "parent";
  END IF;
  PERFORM pg_advisory_xact_lock(5275171);
  FOR child IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = format('%I', "parent")::regclass
      AND c.relname ~ ('^' || "parent" || '_\d{8}$') AND to_date(right(c.relname, 8), 'YYYYMMDD') < "before"
  LOOP
    EXECUTE format('DROP TABLE %I', child);
    dropped := dropped + 1;
  END LOOP;
  RETURN dropped;
END $$;

-- Places 1 to 48 in a histogram whose steps grow by the square root of 2: any percentile is read to within 20 %.
CREATE FUNCTION "added_place"("us" integer) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN "us" IS NULL THEN NULL WHEN "us" < 1 THEN 1
    ELSE least(48, greatest(1, floor(2 * ln("us"::float8) / ln(2::float8))::integer - 6)) END
$$;
CREATE FUNCTION "first_token_place"("ms" integer) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN "ms" IS NULL THEN NULL WHEN "ms" < 1 THEN 1
    ELSE least(48, floor(2 * ln("ms"::float8) / ln(2::float8))::integer + 2) END
$$;

-- Leases up to "want" units of what is left of "most" in the running window ('minute', 'day' or 'month', UTC, by this
-- server's clock), and tells the window and the time here (D-30).
CREATE FUNCTION "lease_counter"("counter_name" text, "unit" text, "want" bigint, "most" bigint,
  OUT "granted" bigint, OUT "used" bigint, OUT "begins" timestamptz, OUT "clock" timestamptz)
LANGUAGE plpgsql AS $$
DECLARE
  had bigint;
BEGIN
  "clock" := clock_timestamp();
  "begins" := date_trunc("unit", "clock", 'UTC');
  INSERT INTO counter (name, "window", value, expires_at)
  VALUES ("counter_name", "begins", 0, "begins" + ('1 ' || "unit")::interval + interval '1 day')
  ON CONFLICT DO NOTHING;
  SELECT value INTO had FROM counter WHERE name = "counter_name" AND "window" = "begins" FOR UPDATE;
  "granted" := greatest(0, least("want", "most" - had));
  "used" := had + "granted";
  IF "granted" > 0 THEN
    UPDATE counter SET value = "used" WHERE name = "counter_name" AND "window" = "begins";
  END IF;
END $$;

-- Takes one of a key's places for streams, if one is free; places whose holder was silent for too long are free (D-30).
CREATE FUNCTION "take_stream"("lease_id" text, "of_key" text, "gateway" text, "most" integer, "lasts" interval)
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended("of_key", 5275175));
  DELETE FROM stream_lease WHERE key_id = "of_key" AND expires_at < clock_timestamp();
  IF (SELECT count(*) FROM stream_lease WHERE key_id = "of_key") >= "most" THEN
    RETURN false;
  END IF;
  INSERT INTO stream_lease (id, key_id, gateway_id, expires_at)
  VALUES ("lease_id", "of_key", "gateway", clock_timestamp() + "lasts");
  RETURN true;
END $$;
