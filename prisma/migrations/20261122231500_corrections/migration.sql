-- Answers that were asked for again (D-35): whether a further try was delivered, what the others cost, and what was said
-- in each. Of requests that were recorded before nothing is known.
ALTER TABLE "turn" ADD COLUMN "corrected" BOOLEAN;
ALTER TABLE "turn" ADD COLUMN "correction_tokens" BIGINT;
ALTER TABLE "turn_body" ADD COLUMN "tries" JSONB;
