-- Which API of a model server is used. Ollama's own one is chosen for those that are added from now on; what runs stays as it is.
ALTER TABLE "upstream" ADD COLUMN "api" TEXT NOT NULL DEFAULT 'auto';
UPDATE "upstream" SET "api" = 'chat' WHERE "kind" = 'ollama';
