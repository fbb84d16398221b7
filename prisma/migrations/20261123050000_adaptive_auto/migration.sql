-- Which strategy was tried first: where another one answered, this one failed. Of requests that were recorded before
-- nothing is known.
ALTER TABLE "turn" ADD COLUMN "strategy_first" TEXT;

-- Conversations that began before `auto` moved, and what they stay with.
CREATE TABLE "strategy_stay" (
  "model_id" TEXT NOT NULL,
  "strategy" TEXT NOT NULL,
  "dialect" TEXT,
  "conversations" TEXT[] NOT NULL,
  "until" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "strategy_stay_pkey" PRIMARY KEY ("model_id")
);
ALTER TABLE "strategy_stay" ADD CONSTRAINT "strategy_stay_model_id_fkey"
  FOREIGN KEY ("model_id") REFERENCES "model"("id") ON DELETE CASCADE ON UPDATE CASCADE;
