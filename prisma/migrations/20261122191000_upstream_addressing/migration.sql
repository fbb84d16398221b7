-- AlterTable
ALTER TABLE "upstream" ADD COLUMN     "credential_header" TEXT,
ADD COLUMN     "credential_scheme" TEXT,
ADD COLUMN     "headers" TEXT,
ADD COLUMN     "headers_key_id" TEXT;
