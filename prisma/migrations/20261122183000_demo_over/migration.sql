-- Where a real upstream was added before, the demo ended with it.
INSERT INTO "setting" ("name", "value")
SELECT 'demo.over', 'true'::jsonb WHERE EXISTS (SELECT 1 FROM "upstream" WHERE "origin" <> 'demo')
ON CONFLICT ("name") DO NOTHING;
