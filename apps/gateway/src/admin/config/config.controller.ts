import { api } from '@callsmith/contracts';
import { Controller } from '@nestjs/common';
import { type AdminRequest, Serve } from '../contract.ts';
import { ConfigFileService } from './config-file.service.ts';

@Controller()
export class ConfigController {
  constructor(private readonly file: ConfigFileService) {}

  @Serve(api.config.file)
  show(_: AdminRequest<typeof api.config.file>) {
    return this.file.show();
  }

  @Serve(api.config.apply)
  apply({ body, caller }: AdminRequest<typeof api.config.apply>) {
    return this.file.apply(body, caller);
  }
}
