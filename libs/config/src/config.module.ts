import type { DynamicModule } from '@nestjs/common';
import { ConfigModule, getConfigToken, registerAs } from '@nestjs/config';
import type { Config } from './config.ts';

const NAME = 'callsmith';

/** What to `@Inject()` to get the `Config`. */
export const CONFIG = getConfigToken(NAME);

/** Provides `config` under `CONFIG` everywhere; reads nothing from the environment itself. */
export function configModule(config: Config): Promise<DynamicModule> {
  return ConfigModule.forRoot({
    isGlobal: true,
    ignoreEnvFile: true,
    ignoreEnvVars: true,
    load: [registerAs(NAME, () => config)],
  });
}
