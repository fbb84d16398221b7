-- A search reads the newest bodies one after the other. Before, it found and sorted all that have its words.
ALTER TABLE "turn_body" DROP CONSTRAINT "turn_body_pkey";
ALTER TABLE "turn_body" ADD CONSTRAINT "turn_body_pkey" PRIMARY KEY ("at", "turn_id");
