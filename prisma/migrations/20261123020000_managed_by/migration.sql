-- `file`: the row is what the configuration file says of it; null: it is changed by hand. Versions before this one leave the column alone.
ALTER TABLE "team" ADD COLUMN "managed_by" TEXT;
ALTER TABLE "api_key" ADD COLUMN "managed_by" TEXT;
ALTER TABLE "upstream" ADD COLUMN "managed_by" TEXT;
ALTER TABLE "model" ADD COLUMN "managed_by" TEXT;
ALTER TABLE "webhook" ADD COLUMN "managed_by" TEXT;
