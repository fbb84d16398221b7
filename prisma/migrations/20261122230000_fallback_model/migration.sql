-- The model that answered in the place of the one that was asked for; null: itself.
ALTER TABLE "turn" ADD COLUMN "fallback_model" TEXT;
