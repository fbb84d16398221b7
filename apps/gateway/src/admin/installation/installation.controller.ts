import { api } from '@callsmith/contracts';
import { Controller } from '@nestjs/common';
import { Demo } from '../../demo/demo.ts';
import { type Ask, Serve } from '../contract.ts';
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
  status({ caller }: Ask<typeof api.installation.status>) {
    return this.state.status(caller);
  }

  @Serve(api.installation.checklist)
  checklist({ caller, http }: Ask<typeof api.installation.checklist>) {
    return this.state.checklist(caller, http);
  }

  @Serve(api.installation.keepDemoGoing)
  keepDemoGoing({ body }: Ask<typeof api.installation.keepDemoGoing>) {
    return this.demo.keepGoing(body.on);
  }

  @Serve(api.installation.removeDemo)
  removeDemo({ caller }: Ask<typeof api.installation.removeDemo>) {
    return this.demo.remove(caller);
  }

  @Serve(api.installation.settings)
  settings(_: Ask<typeof api.installation.settings>) {
    return this.kept.show();
  }

  @Serve(api.installation.changeSettings)
  changeSettings({ body, caller }: Ask<typeof api.installation.changeSettings>) {
    return this.kept.change(body, caller);
  }

  @Serve(api.installation.audit)
  audit({ query }: Ask<typeof api.installation.audit>) {
    return this.log.list(query);
  }

  @Serve(api.installation.auditFile)
  auditFile({ query }: Ask<typeof api.installation.auditFile>) {
    return this.log.file(query);
  }
}
