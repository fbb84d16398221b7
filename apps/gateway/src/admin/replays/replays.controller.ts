import { api } from '@callsmith/contracts';
import { Controller } from '@nestjs/common';
import { type AdminRequest, Serve } from '../contract.ts';
import { ReplaysService } from './replays.service.ts';

@Controller()
export class ReplaysController {
  constructor(private readonly replays: ReplaysService) {}

  @Serve(api.replays.read)
  read({ body, caller }: AdminRequest<typeof api.replays.read>) {
    return this.replays.read(body, caller);
  }
}
