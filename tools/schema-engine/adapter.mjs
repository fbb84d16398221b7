// Databases as Prisma's migration engine wants them, on top of @prisma/adapter-pg, which is written for the query
// engine and lacks four things (7.10): the "char" columns of pg_catalog, scripts of several statements (it splits at
// every ';'), a shadow database that is another database (its connection string wins over `database`), and dropping
// that database after the connection is closed.
import { randomUUID } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import { ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import pg from 'pg';

const OID_CHAR = 18;
const OID_TEXT = 25;

/** Opens the database at `url`, and shadow databases beside it. `closeAll` closes everything it opened. */
export class MigrationAdapterFactory {
  provider = 'postgres';
  adapterName = '@prisma/adapter-pg';
  #schema;
  #config;
  #shadowUrl;
  #closers = new Set();

  constructor({ url, shadowDatabaseUrl }) {
    ({ schema: this.#schema, config: this.#config } = poolConfig(url));
    this.#shadowUrl = shadowDatabaseUrl;
  }

  connect() {
    return this.#open(this.#config);
  }

  async connectToShadowDb() {
    if (this.#shadowUrl) return this.#open(poolConfig(this.#shadowUrl).config);
    const database = `prisma_migrate_shadow_db_${randomUUID()}`;
    const admin = new pg.Client(this.#config);
    await admin.connect();
    await admin.query(`CREATE DATABASE "${database}"`);
    return this.#open({ ...this.#config, database }, async () => {
      await admin.query(`DROP DATABASE IF EXISTS "${database}" WITH (FORCE)`);
      await admin.end();
    });
  }

  async closeAll() {
    for (const close of [...this.#closers].reverse()) await close().catch(() => {});
  }

  async #open(config, afterwards = async () => {}) {
    const pool = new pg.Pool(config);
    const adapter = completed(await new PrismaPg(pool, { schema: this.#schema }).connect());
    adapter.dispose = async () => {
      if (!this.#closers.delete(adapter.dispose)) return;
      await pool.end();
      await afterwards();
    };
    this.#closers.add(adapter.dispose);
    return adapter;
  }
}

/** For a diff between files: the engine only asks for a version, so no server is needed. */
export class OfflineFactory extends MigrationAdapterFactory {
  async connect() {
    return {
      provider: this.provider,
      adapterName: this.adapterName,
      getConnectionInfo: () => ({ schemaName: 'public', supportsRelationJoins: true }),
      queryRaw: async () => ({
        columnNames: ['exists', 'version', 'numeric_version'],
        columnTypes: [ColumnTypeEnum.Boolean, ColumnTypeEnum.Text, ColumnTypeEnum.Int32],
        rows: [[true, 'PostgreSQL 16.0', 160000]],
      }),
      executeRaw: async () => 0,
      executeScript: async () => {},
      startTransaction: async () => {
        throw new Error('there is no database: DATABASE_URL is not reachable');
      },
      dispose: async () => {},
    };
  }
}

/** Adds what the migration engine needs to a connection or a transaction. */
function completed(queryable) {
  let charColumns = [];
  const performIO = queryable.performIO.bind(queryable);
  queryable.performIO = async (query) => {
    const result = await performIO(query);
    charColumns = [];
    for (const [column, field] of (result.fields ?? []).entries()) {
      if (field.dataTypeID !== OID_CHAR) continue;
      charColumns.push(column);
      field.dataTypeID = OID_TEXT;
    }
    return result;
  };
  const queryRaw = queryable.queryRaw.bind(queryable);
  queryable.queryRaw = async (query) => {
    const result = await queryRaw(query);
    for (const column of charColumns) result.columnTypes[column] = ColumnTypeEnum.Character;
    return result;
  };
  if (queryable.executeScript) {
    queryable.executeScript = async (script) => {
      try {
        await queryable.client.query(script);
      } catch (error) {
        queryable.onError(error);
      }
    };
  }
  if (queryable.startTransaction) {
    const startTransaction = queryable.startTransaction.bind(queryable);
    queryable.startTransaction = async (level) => completed(await startTransaction(level));
  }
  return queryable;
}

function poolConfig(url) {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  const schema = searchParams.get('schema') ?? undefined;
  const text = (part) => decodeURIComponent(part) || undefined;
  return {
    schema,
    config: {
      host: searchParams.get('host') ?? text(hostname),
      port: Number(port || 5432),
      user: text(username),
      password: text(password),
      database: text(pathname.slice(1)),
      ssl: ssl(searchParams.get('sslmode')),
      options: schema ? `-c search_path="${schema}"` : undefined,
      max: 1,
      idleTimeoutMillis: 0,
      connectionTimeoutMillis: 10_000,
      application_name: 'prisma-migrate',
    },
  };
}

function ssl(mode) {
  if (['verify-ca', 'verify-full'].includes(mode)) return true;
  return ['require', 'prefer', 'no-verify'].includes(mode) ? { rejectUnauthorized: false } : undefined;
}
