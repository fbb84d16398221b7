export { UnusableDatabase } from './connect.ts';
export { inspectDatabase } from './inspect-database.ts';
export { migrate, pendingMigrations } from './migrate.ts';
export { createPrisma, PrismaService } from './prisma.ts';
export { refuseHalfRestore } from './refuse-half-restore.ts';
