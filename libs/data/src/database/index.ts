export { lookAtDatabase } from './look-at-database.ts';
export { migrate, pendingMigrations, UnusableDatabase } from './migrate.ts';
export { createPrisma, PrismaService } from './prisma.ts';
export { refuseHalfRestore } from './refuse-half-restore.ts';
