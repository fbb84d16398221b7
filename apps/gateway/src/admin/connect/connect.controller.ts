import { api } from '@callsmith/contracts';
import type { KeyOfSession } from '@callsmith/data/users';
import { Controller } from '@nestjs/common';
import type { Caller } from '../access/caller.ts';
import { type AdminRequest, Serve } from '../contract.ts';
import { ConnectService } from './connect.service.ts';

@Controller()
export class ConnectController {
  constructor(private readonly connect: ConnectService) {}

  @Serve(api.connect.makeLink)
  makeLink({ params, caller, http }: AdminRequest<typeof api.connect.makeLink>) {
    return this.connect.makeLink(params.id, caller, http);
  }

  @Serve(api.connect.open)
  open({ body, http }: AdminRequest<typeof api.connect.open>) {
    return this.connect.open(body.token, http);
  }

  @Serve(api.connect.leave)
  leave({ http }: AdminRequest<typeof api.connect.leave>) {
    return this.connect.leave(http);
  }

  @Serve(api.connect.show)
  show({ caller, http }: AdminRequest<typeof api.connect.show>) {
    return this.connect.show(ownKeyOf(caller), http);
  }

  @Serve(api.connect.requests)
  requests({ caller }: AdminRequest<typeof api.connect.requests>) {
    return this.connect.requests(ownKeyOf(caller));
  }

  @Serve(api.connect.rotate)
  rotate({ body, caller, http }: AdminRequest<typeof api.connect.rotate>) {
    return this.connect.rotate(body.graceSeconds, caller, ownKeyOf(caller), http);
  }
}

function ownKeyOf({ ownKey }: Caller): KeyOfSession {
  if (!ownKey) throw new Error('the guard accepted a caller without an own key');
  return ownKey;
}
