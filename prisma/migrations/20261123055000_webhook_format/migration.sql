-- Alerts can go to Slack in the form that it reads.
ALTER TABLE "webhook" ADD COLUMN "format" TEXT NOT NULL DEFAULT 'standard';
