import { api } from '@callsmith/contracts';
import { Controller } from '@nestjs/common';
import { Demo } from '../../demo/demo.ts';
import { type AdminRequest, Serve } from '../contract.ts';
import { AuditService } from './audit.service.ts';
import { SettingsService } from './settings.service.ts';
import { StatusService } from './status.service.ts';

@Controller()
export class InstallationController {
  constructor(
    private readonly state: StatusService,
    private readonly kept: SettingsService,
    private readonly log: AuditService,
    private readonly demo: Demo,
  ) {}

  @Serve(api.installation.status)
  status({ caller }: AdminRequest<typeof api.installation.status>) {
    return this.state.status(caller);
  }

  @Serve(api.installation.checklist)
  checklist({ caller, http }: AdminRequest<typeof api.installation.checklist>) {
    return this.state.checklist(caller, http);
  }

  @Serve(api.installation.keepDemoGoing)
  keepDemoGoing({ body }: AdminRequest<typeof api.installation.keepDemoGoing>) {
    return this.demo.keepGoing(body.on);
  }

  @Serve(api.installation.removeDemo)
  removeDemo({ caller }: AdminRequest<typeof api.installation.removeDemo>) {
    return this.demo.remove(caller);
  }

  @Serve(api.installation.settings)
  settings(_: AdminRequest<typeof api.installation.settings>) {
    return this.kept.show();
  }

  @Serve(api.installation.changeSettings)
  changeSettings({ body, caller }: AdminRequest<typeof api.installation.changeSettings>) {
    return this.kept.change(body, caller);
  }

  @Serve(api.installation.audit)
  audit({ query }: AdminRequest<typeof api.installation.audit>) {
    return this.log.list(query);
  }

  @Serve(api.installation.auditFile)
  auditFile({ query }: AdminRequest<typeof api.installation.auditFile>) {
    return this.log.file(query);
  }
}
