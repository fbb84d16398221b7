-- Agent mode (L-5): how often a request's model was asked, the bound that ended it, and what was run in each round.
ALTER TABLE "turn" ADD COLUMN "agent_rounds" INTEGER;
ALTER TABLE "turn" ADD COLUMN "agent_limit" TEXT;
ALTER TABLE "turn_body" ADD COLUMN "rounds" JSONB;
