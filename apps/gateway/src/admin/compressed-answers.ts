import { constants } from 'node:zlib';
import compress, { type FastifyCompressOptions } from '@fastify/compress';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/** A smaller response fits into one packet anyway. */
const FROM_BYTES = 1400;

const options: FastifyCompressOptions = {
  threshold: FROM_BYTES,
  encodings: ['br', 'gzip'],
  // Exported files are streams at their own pace already.
  customTypes: /^application\/json\b/,
  // Brotli's default level takes more time than its smaller size saves.
  brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
};

/**
 * Compresses lists and metrics of the admin API. Only reads: the response to a change may contain a secret. The
 * inference routes send what they have immediately. Call it before routes are registered.
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
