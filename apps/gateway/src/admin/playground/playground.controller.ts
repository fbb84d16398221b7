import { api } from '@callsmith/contracts';
import { Controller } from '@nestjs/common';
import { type AdminRequest, Serve } from '../contract.ts';
import { PlaygroundService } from './playground.service.ts';

@Controller()
export class PlaygroundController {
  constructor(private readonly playground: PlaygroundService) {}

  @Serve(api.playground.run)
  run({ body, caller, http }: AdminRequest<typeof api.playground.run>) {
    http.streams();
    return this.playground.run(body, caller);
  }
}
