-- Requests are found by the ID that their response carries, and by their conversation.
CREATE INDEX "turn_request_id_idx" ON "turn" ("request_id");
CREATE INDEX "turn_conversation_at_idx" ON "turn" ("conversation", "at" DESC);
