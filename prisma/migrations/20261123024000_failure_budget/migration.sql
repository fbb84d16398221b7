-- The API gives every trigger of a webhook. Versions before this one read the others only.
UPDATE "webhook" SET "triggers" = '{"failureBudget": false}'::jsonb || "triggers";
