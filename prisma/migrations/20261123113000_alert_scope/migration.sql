-- Alerts are narrowed to models, teams and clients, and have hours in which nothing is sent.
ALTER TABLE "webhook" ADD COLUMN "scope" JSONB NOT NULL DEFAULT '{"models":[],"teams":[],"clients":[]}',
ADD COLUMN "quiet_hours" JSONB,
ADD COLUMN "time_zone" TEXT NOT NULL DEFAULT 'UTC';
