import { api } from '@callsmith/contracts';
import { Controller } from '@nestjs/common';
import { type AdminRequest, Serve } from '../contract.ts';
import { UsersService } from './users.service.ts';

@Controller()
export class UsersController {
  constructor(private readonly users: UsersService) {}

  @Serve(api.users.list)
  list(_: AdminRequest<typeof api.users.list>) {
    return this.users.list();
  }

  @Serve(api.users.invite)
  invite({ body, caller, http }: AdminRequest<typeof api.users.invite>) {
    return this.users.invite(body, caller, http);
  }

  @Serve(api.users.change)
  change({ params, body, caller }: AdminRequest<typeof api.users.change>) {
    return this.users.change(params.id, body, caller);
  }

  @Serve(api.users.remove)
  remove({ params, caller }: AdminRequest<typeof api.users.remove>) {
    return this.users.remove(params.id, caller);
  }

  @Serve(api.users.resetPassword)
  resetPassword({ params, http }: AdminRequest<typeof api.users.resetPassword>) {
    return this.users.resetPassword(params.id, http);
  }
}
