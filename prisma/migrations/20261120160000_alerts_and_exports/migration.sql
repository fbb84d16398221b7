-- A place that alerts are sent to.
CREATE TABLE "webhook" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "secret" TEXT NOT NULL,
    "secret_key_id" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "triggers" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "webhook_name_key" ON "webhook"("name");

-- What a webhook was told has begun and not yet that it is over.
CREATE TABLE "open_alert" (
    "webhook_id" TEXT NOT NULL,
    "trigger" TEXT NOT NULL,
    "about_id" TEXT NOT NULL,
    "about_name" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "open_alert_pkey" PRIMARY KEY ("webhook_id","trigger","about_id")
);
ALTER TABLE "open_alert" ADD CONSTRAINT "open_alert_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhook"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- One message to a webhook and how sending it went.
CREATE TABLE "alert_delivery" (
    "id" TEXT NOT NULL,
    "webhook_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "message" JSONB NOT NULL,
    "tries" INTEGER NOT NULL DEFAULT 0,
    "tried_at" TIMESTAMPTZ(3),
    "status" INTEGER,
    "latency_ms" INTEGER,
    "problem" TEXT,
    "delivered_at" TIMESTAMPTZ(3),
    "given_up_at" TIMESTAMPTZ(3),

    CONSTRAINT "alert_delivery_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "alert_delivery_webhook_id_at_idx" ON "alert_delivery"("webhook_id", "at" DESC);
CREATE INDEX "alert_delivery_at_idx" ON "alert_delivery"("at");
ALTER TABLE "alert_delivery" ADD CONSTRAINT "alert_delivery_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhook"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Turns that a gateway could not write.
CREATE TABLE "record_loss" (
    "id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "turns" INTEGER NOT NULL,

    CONSTRAINT "record_loss_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "record_loss_at_idx" ON "record_loss"("at");

-- A file of turns that a job prepares, and its pieces.
CREATE TABLE "turn_export" (
    "id" TEXT NOT NULL,
    "actor" TEXT NOT NULL,
    "team_id" TEXT,
    "filter" JSONB NOT NULL,
    "format" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'waiting',
    "turns" INTEGER NOT NULL DEFAULT 0,
    "whole" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ready_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "turn_export_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "turn_export_actor_created_at_idx" ON "turn_export"("actor", "created_at" DESC);
CREATE INDEX "turn_export_expires_at_idx" ON "turn_export"("expires_at");

CREATE TABLE "turn_export_part" (
    "export_id" TEXT NOT NULL,
    "n" INTEGER NOT NULL,
    "gzip" BYTEA NOT NULL,

    CONSTRAINT "turn_export_part_pkey" PRIMARY KEY ("export_id","n")
);
ALTER TABLE "turn_export_part" ADD CONSTRAINT "turn_export_part_export_id_fkey" FOREIGN KEY ("export_id") REFERENCES "turn_export"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- As before, and now also by windows of a quarter of an hour ('15 minutes'), which attempts to sign in are counted by.
CREATE OR REPLACE FUNCTION "lease_counter"("counter_name" text, "unit" text, "want" bigint, "most" bigint,
  OUT "granted" bigint, OUT "used" bigint, OUT "begins" timestamptz, OUT "clock" timestamptz)
LANGUAGE plpgsql AS $$
DECLARE
  had bigint;
  lasts interval := CASE WHEN "unit" = '15 minutes' THEN interval '15 minutes' ELSE ('1 ' || "unit")::interval END;
BEGIN
  "clock" := clock_timestamp();
  "begins" := CASE WHEN "unit" = '15 minutes' THEN date_bin(lasts, "clock", timestamptz 'epoch')
    ELSE date_trunc("unit", "clock", 'UTC') END;
  INSERT INTO counter (name, "window", value, expires_at)
  VALUES ("counter_name", "begins", 0, "begins" + lasts + interval '1 day')
  ON CONFLICT DO NOTHING;
  SELECT value INTO had FROM counter WHERE name = "counter_name" AND "window" = "begins" FOR UPDATE;
  "granted" := greatest(0, least("want", "most" - had));
  "used" := had + "granted";
  IF "granted" > 0 THEN
    UPDATE counter SET value = "used" WHERE name = "counter_name" AND "window" = "begins";
  END IF;
END $$;
