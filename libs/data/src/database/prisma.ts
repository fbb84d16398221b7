import { PrismaPg } from '@prisma/adapter-pg';
import { type Prisma, PrismaClient } from '../generated/prisma/client.ts';

/** The tables, typed. */
export class PrismaService extends PrismaClient {
  /** `connections`: maximum to the database; with those of record, config snapshot and jobs a process has 12. */
  constructor(url: string, connections = 5) {
    super({
      adapter: new PrismaPg({
        connectionString: url,
        max: connections,
        connectionTimeoutMillis: 5_000,
        // The adapter reads instants as if the server's time zone were UTC.
        options: '-c TimeZone=UTC',
        application_name: 'callsmith',
      }),
    });
  }
}

/** Opens the tables at `url`; connects on the first query. */
export const createPrisma = (url: string, connections?: number): PrismaService => new PrismaService(url, connections);

/** The tables inside a transaction. */
export type Tables = Prisma.TransactionClient;
