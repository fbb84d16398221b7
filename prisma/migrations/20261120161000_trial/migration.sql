-- CreateTable
CREATE TABLE "trial" (
    "id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "model_id" TEXT NOT NULL,
    "team_id" TEXT,
    "actor" TEXT NOT NULL,
    "strategy" TEXT NOT NULL,
    "dialect" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'waiting',
    "problem" TEXT,
    "rows" JSONB NOT NULL,
    "beat_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "trial_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "trial_model_id_at_idx" ON "trial"("model_id", "at");

-- AddForeignKey
ALTER TABLE "trial" ADD CONSTRAINT "trial_model_id_fkey" FOREIGN KEY ("model_id") REFERENCES "model"("id") ON DELETE CASCADE ON UPDATE CASCADE;
