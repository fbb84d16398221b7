-- What upstreams refuse is learned per model on them, with an expiry. The column stays for gateways of earlier versions
-- beside this one.
INSERT INTO "learned" ("model_id", "upstream_id", "what", "value", "engine_version", "reason", "expires_at")
SELECT place."model_id", place."upstream_id", 'parameter:' || parameter, 'false', upstream."engine_version",
       'Learned by an earlier version of Callsmith.', now() + interval '24 hours'
FROM "upstream"
JOIN "model_upstream" AS place ON place."upstream_id" = "upstream"."id"
CROSS JOIN LATERAL unnest("upstream"."refuses") AS parameter
ON CONFLICT DO NOTHING;
