-- Requests are found by what was said in them, and by the paths of their calls' arguments. Both stand beside the bodies,
-- so that they are kept as long, and only where those are. Of requests that were recorded before there are none.
ALTER TABLE "turn_body" ADD COLUMN "words" TSVECTOR;
ALTER TABLE "turn_body" ADD COLUMN "argument_paths" TEXT[];
CREATE INDEX "turn_body_words_idx" ON "turn_body" USING GIN ("words");
CREATE INDEX "turn_body_argument_paths_idx" ON "turn_body" USING GIN ("argument_paths");
