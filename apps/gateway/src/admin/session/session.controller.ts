import { api } from '@callsmith/contracts';
import { Controller } from '@nestjs/common';
import { type AdminRequest, Serve } from '../contract.ts';
import { LinksService } from './links.service.ts';
import { OidcService } from './oidc.service.ts';
import { SessionService } from './session.service.ts';

@Controller()
export class SessionController {
  constructor(
    private readonly session: SessionService,
    private readonly links: LinksService,
    private readonly oidc: OidcService,
  ) {}

  @Serve(api.session.show)
  show({ caller, http }: AdminRequest<typeof api.session.show>) {
    return this.session.show(caller, http);
  }

  @Serve(api.session.ways)
  ways(_: AdminRequest<typeof api.session.ways>) {
    return this.oidc.ways();
  }

  @Serve(api.session.signInByOidc)
  signInByOidc({ http }: AdminRequest<typeof api.session.signInByOidc>) {
    return this.oidc.start(http);
  }

  @Serve(api.session.backFromOidc)
  backFromOidc({ http }: AdminRequest<typeof api.session.backFromOidc>) {
    return this.oidc.callback(http);
  }

  @Serve(api.session.signIn)
  signIn({ body, http }: AdminRequest<typeof api.session.signIn>) {
    return this.session.signIn(body, http);
  }

  @Serve(api.session.signOut)
  signOut({ http }: AdminRequest<typeof api.session.signOut>) {
    return this.session.signOut(http);
  }

  @Serve(api.session.changePassword)
  changePassword({ body, caller, http }: AdminRequest<typeof api.session.changePassword>) {
    return this.session.changePassword(body, caller, http);
  }

  @Serve(api.session.link)
  inspectLink({ body, http }: AdminRequest<typeof api.session.link>) {
    return this.links.inspect(body.token, http);
  }

  @Serve(api.session.useLink)
  useLink({ body, http }: AdminRequest<typeof api.session.useLink>) {
    return this.links.use(body, http);
  }
}
