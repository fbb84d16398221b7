-- CreateTable
CREATE TABLE "probe" (
    "id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "model_id" TEXT NOT NULL,
    "upstream_id" TEXT NOT NULL,
    "engine_version" TEXT,
    "actor" TEXT NOT NULL,
    "cause" TEXT NOT NULL,
    "size" TEXT NOT NULL,
    "seed" TEXT NOT NULL,
    "arms" JSONB NOT NULL,
    "in_effect" INTEGER NOT NULL,
    "budget" JSONB NOT NULL,
    "spent" JSONB NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'waiting',
    "takes" INTEGER NOT NULL DEFAULT 0,
    "problem" TEXT,
    "rows" JSONB NOT NULL DEFAULT '[]',
    "support" JSONB,
    "beat_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "probe_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "probe_model_id_at_idx" ON "probe"("model_id", "at");

-- AddForeignKey
ALTER TABLE "probe" ADD CONSTRAINT "probe_model_id_fkey" FOREIGN KEY ("model_id") REFERENCES "model"("id") ON DELETE CASCADE ON UPDATE CASCADE;
