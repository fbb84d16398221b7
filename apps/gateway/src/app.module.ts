import { type Config, configModule } from '@callsmith/config';
import { DataModule } from '@callsmith/data/module';
import { JobsModule } from '@callsmith/jobs';
import { dialectFor } from '@callsmith/toolcall';
import { type DynamicModule, Logger, Module } from '@nestjs/common';
import { AdminModule } from './admin/admin.module.ts';
import { HealthModule } from './health/health.module.ts';
import { productVersion } from './product-version.ts';
import { ProxyModule } from './proxy/proxy.module.ts';

const log = new Logger('record');

@Module({})
class AppModule {}

/** The gateway: one line for each of its modules. */
export function appModule(config: Config): DynamicModule {
  const { databaseUrl, redisUrl, secretKey, demo, demoUrl, graceMs, proxies, root } = config;
  return {
    module: AppModule,
    imports: [
      configModule(config),
      DataModule.forRoot({
        databaseUrl,
        redisUrl,
        secretKey,
        demo,
        demoUrl,
        graceMs,
        proxies,
        currency: config.currency,
        mail: config.mail,
        publicUrl: config.server.publicUrl,
        productVersion: productVersion(root),
        report: (message) => log.error(message),
        dialectOf: (modelId) => dialectFor(modelId)?.name,
      }),
      JobsModule.consumer({ databaseUrl, redisUrl }, [ProxyModule]),
      HealthModule,
      ProxyModule,
      AdminModule,
    ],
  };
}
