import pg from 'pg';
import { CHANNEL } from '../database/change.ts';

const RETRY_MS = 1_000;

/** Listens for changes on a separate connection, and reopens it whenever it breaks (D-31). */
export class ChangeListener {
  private client: pg.Client | undefined;
  private retry: NodeJS.Timeout | undefined;
  private stopped = false;

  /** `received` is called after each change and after each new connection, since changes may have been missed. */
  constructor(
    private readonly url: string,
    private readonly received: () => void,
  ) {}

  /** Opens the connection; if that fails, keeps trying in the background. */
  async start(): Promise<void> {
    if (this.stopped) return;
    const client = new pg.Client({
      connectionString: this.url,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      application_name: 'callsmith listen',
    });
    this.client = client;
    client.on('notification', () => this.received());
    client.on('error', () => this.again(client));
    client.on('end', () => this.again(client));
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      this.received();
    } catch {
      this.again(client);
    }
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.retry);
    await this.client?.end().catch(() => {});
  }

  private again(broken: pg.Client): void {
    if (this.stopped || this.client !== broken) return;
    this.client = undefined;
    broken.end().catch(() => {});
    this.retry = setTimeout(() => void this.start(), RETRY_MS).unref();
  }
}
