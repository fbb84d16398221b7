-- Summaries of the week.
ALTER TABLE "webhook" ADD COLUMN "weekly_digest" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN "digest_at" TIMESTAMPTZ(3);
