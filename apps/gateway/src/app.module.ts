import { type Config, configModule } from '@callsmith/config';
import { type DynamicModule, Module } from '@nestjs/common';
import { HealthModule } from './health/health.module.ts';

@Module({})
class AppModule {}

/** The gateway: one line for each of its parts. */
export function appModule(config: Config): DynamicModule {
  return {
    module: AppModule,
    imports: [configModule(config), HealthModule],
  };
}
