-- A search of frequent words reads the bodies from the newest on, until the page is full. Before, it read and sorted all of them.
ALTER TABLE "turn_body" DROP CONSTRAINT "turn_body_pkey";
ALTER TABLE "turn_body" ADD CONSTRAINT "turn_body_pkey" PRIMARY KEY ("at", "turn_id");
