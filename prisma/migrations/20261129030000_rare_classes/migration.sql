-- A list of a class that is rare, or never was, read all failed requests of its period.
CREATE INDEX "turn_classes_idx" ON "turn" USING GIN ("classes") WHERE cardinality("classes") > 0;
