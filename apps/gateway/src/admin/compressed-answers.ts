import { constants } from 'node:zlib';
import compress, { type FastifyCompressOptions } from '@fastify/compress';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/** Smaller answers fit into the packet that they go in anyway. */
const FROM_BYTES = 1400;

const options: FastifyCompressOptions = {
  threshold: FROM_BYTES,
  encodings: ['br', 'gzip'],
  // Files that are exported are already streams of their own pace.
  customTypes: /^application\/json\b/,
  // The default level of Brotli takes longer than its bytes save.
  brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
};

/**
 * Lists and figures of the admin API go out compressed. Only what is read: an answer that holds a secret belongs to a
 * change. The inference routes send what they have at once. To be called before routes are registered.
 */
export async function compressAdminAnswers(app: NestFastifyApplication): Promise<void> {
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRoute', (route) => {
      const reads = [route.method].flat().includes('GET');
      if (reads && route.url.startsWith('/api/')) route.compress = options;
    });
  await app.register(compress, { global: false });
}
