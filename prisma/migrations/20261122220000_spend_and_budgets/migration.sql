-- What a request cost, in millionths of the currency, at its model's price of that moment; null: the model had none.
ALTER TABLE "turn" ADD COLUMN "spend" BIGINT;
ALTER TABLE "turn_rollup" ADD COLUMN "spend" BIGINT NOT NULL DEFAULT 0;

ALTER TABLE "api_key" ADD COLUMN "spend_budget" BIGINT;

-- Budgets of teams and of owners of keys.
CREATE TABLE "budget" (
    "id" TEXT NOT NULL,
    "team_id" TEXT NOT NULL,
    "holder" TEXT NOT NULL,
    "token_budget" BIGINT,
    "spend_budget" BIGINT,
    "budget_period" TEXT NOT NULL,

    CONSTRAINT "budget_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "budget_team_id_holder_key" ON "budget"("team_id", "holder");
ALTER TABLE "budget" ADD CONSTRAINT "budget_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team"("id") ON DELETE CASCADE ON UPDATE CASCADE;
