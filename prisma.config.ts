import { fileURLToPath } from 'node:url';
import { defineConfig } from 'prisma/config';

// Prisma's own engine is a download; ours is the same engine from an npm package.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= fileURLToPath(new URL('./tools/schema-engine.mjs', import.meta.url));
process.env.CHECKPOINT_DISABLE ??= '1';

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env.DATABASE_URL ?? 'postgresql://postgres@127.0.0.1:55432/dev' },
});
