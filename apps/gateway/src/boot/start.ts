import { readSettings } from '@callsmith/config';
import { createApp } from '../app.ts';

/** Starts the product in the folder `root`, and stays until a signal comes. */
export async function start(root: string): Promise<void> {
  const settings = readSettings(root);
  const databaseUrl = settings.databaseUrl ?? '';
  const app = await createApp({ ...settings, databaseUrl, secretKey: settings.secretKey ?? '', root }, 'json');
  await app.listen(settings.server.port, settings.server.host);
}
