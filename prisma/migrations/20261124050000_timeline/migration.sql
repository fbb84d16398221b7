-- What was done for an answer, and when.
ALTER TABLE "turn_body" ADD COLUMN "timeline" JSONB;
