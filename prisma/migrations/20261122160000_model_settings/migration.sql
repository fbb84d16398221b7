-- Settings that have columns of their own keep them: gateways of earlier versions beside this one read and write those.
-- AlterTable
ALTER TABLE "model" ADD COLUMN     "settings" JSONB NOT NULL DEFAULT '{}';
