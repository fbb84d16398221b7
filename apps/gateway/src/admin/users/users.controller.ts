import { api } from '@callsmith/contracts';
import { Controller } from '@nestjs/common';
import { type Ask, Serve } from '../contract.ts';
import { UsersService } from './users.service.ts';

@Controller()
export class UsersController {
  constructor(private readonly users: UsersService) {}

  @Serve(api.users.list)
  list(_: Ask<typeof api.users.list>) {
    return this.users.list();
  }

  @Serve(api.users.invite)
  invite({ body, caller, http }: Ask<typeof api.users.invite>) {
    return this.users.invite(body, caller, http);
  }

  @Serve(api.users.change)
  change({ params, body, caller }: Ask<typeof api.users.change>) {
    return this.users.change(params.id, body, caller);
  }

  @Serve(api.users.remove)
  remove({ params, caller }: Ask<typeof api.users.remove>) {
    return this.users.remove(params.id, caller);
  }

  @Serve(api.users.resetPassword)
  resetPassword({ params, http }: Ask<typeof api.users.resetPassword>) {
    return this.users.resetPassword(params.id, http);
  }
}
