import pg from 'pg';

/** A database that Callsmith must not touch, or cannot use; the message says which and why. */
export class UnusableDatabase extends Error {
  override readonly name = 'UnusableDatabase';
}

/**
 * Connects to a PostgreSQL database. Throws `UnusableDatabase` if that fails, with the server's name, never the
 * password.
 */
export async function connect(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl });
  try {
    await client.connect();
    return client;
  } catch (error) {
    throw new UnusableDatabase(reason(client, error as Error & { code?: string }));
  }
}

/** Codes of https://www.postgresql.org/docs/current/errcodes-appendix.html. */
function reason(client: pg.Client, { code, message }: Error & { code?: string }): string {
  const { host, port, user, database } = client;
  const server = `${host}:${port} (DATABASE_URL)`;
  if (code === '3D000')
    return `There is no database "${database}" at ${server}. Create it, e.g. by createdb ${database}.`;
  if (code === '28P01' || code === '28000')
    return `The database server at ${server} does not accept the user "${user}": ${message}. Check user and password.`;
  return `Callsmith cannot connect to the database at ${server}: ${message || code}`;
}
