import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { Demo } from '../demo/demo.ts';
import { FaultsFilter } from '../faults.filter.ts';
import { ProxyModule } from '../proxy/proxy.module.ts';
import { AccessGuard } from './access/access.guard.ts';
import { Callers } from './access/callers.ts';
import { KnownDevice } from './access/known-device.ts';
import { SignInAttempts } from './access/sign-in-attempts.ts';
import { BudgetsController } from './budgets/budgets.controller.ts';
import { SharedBudgetsService } from './budgets/shared-budgets.service.ts';
import { ConfigController } from './config/config.controller.ts';
import { ConfigFileService } from './config/config-file.service.ts';
import { ConnectController } from './connect/connect.controller.ts';
import { ConnectService } from './connect/connect.service.ts';
import { ExperimentsController } from './experiments/experiments.controller.ts';
import { ExperimentsService } from './experiments/experiments.service.ts';
import { ExportsController } from './exports/exports.controller.ts';
import { ExportsService } from './exports/exports.service.ts';
import { AuditService } from './installation/audit.service.ts';
import { InstallationController } from './installation/installation.controller.ts';
import { InstallationFacts } from './installation/installation-facts.service.ts';
import { RedactionController } from './installation/redaction.controller.ts';
import { RedactionService } from './installation/redaction.service.ts';
import { SettingsService } from './installation/settings.service.ts';
import { StatusService } from './installation/status.service.ts';
import { KeyLinksService } from './keys/key-links.service.ts';
import { KeysController } from './keys/keys.controller.ts';
import { KeysService } from './keys/keys.service.ts';
import { McpServersController } from './mcp-servers/mcp-servers.controller.ts';
import { McpServersService } from './mcp-servers/mcp-servers.service.ts';
import { BreakdownService } from './models/breakdown.service.ts';
import { DialectsService } from './models/dialects.service.ts';
import { EvidenceService } from './models/evidence.service.ts';
import { ModelsController } from './models/models.controller.ts';
import { ModelsService } from './models/models.service.ts';
import { PlaygroundController } from './playground/playground.controller.ts';
import { PlaygroundService } from './playground/playground.service.ts';
import { ProbesController } from './probes/probes.controller.ts';
import { ProbesService } from './probes/probes.service.ts';
import { QueueConsole } from './queue/queue-console.ts';
import { ReplaysController } from './replays/replays.controller.ts';
import { ReplaysService } from './replays/replays.service.ts';
import { SavedViewsController } from './saved-views/saved-views.controller.ts';
import { SavedViewsService } from './saved-views/saved-views.service.ts';
import { LinksService } from './session/links.service.ts';
import { OidcService } from './session/oidc.service.ts';
import { SessionController } from './session/session.controller.ts';
import { SessionService } from './session/session.service.ts';
import { Budgets } from './stats/budgets.service.ts';
import { RatesService } from './stats/rates.service.ts';
import { StatsController } from './stats/stats.controller.ts';
import { StatsService } from './stats/stats.service.ts';
import { UsageService } from './stats/usage.service.ts';
import { TeamsController } from './teams/teams.controller.ts';
import { TeamsService } from './teams/teams.service.ts';
import { TrialsController } from './trials/trials.controller.ts';
import { TrialsService } from './trials/trials.service.ts';
import { FailureWorkService } from './turns/failure-work.service.ts';
import { TurnsController } from './turns/turns.controller.ts';
import { TurnsService } from './turns/turns.service.ts';
import { ConnectionTest } from './upstreams/connection-test.service.ts';
import { UpstreamsController } from './upstreams/upstreams.controller.ts';
import { UpstreamsService } from './upstreams/upstreams.service.ts';
import { UsersController } from './users/users.controller.ts';
import { UsersService } from './users/users.service.ts';
import { WebhooksController } from './webhooks/webhooks.controller.ts';
import { WebhooksService } from './webhooks/webhooks.service.ts';

/** The admin API. Its guard runs before every Nest handler of the gateway. */
@Module({
  imports: [ProxyModule],
  controllers: [
    SessionController,
    KeysController,
    ConnectController,
    BudgetsController,
    TeamsController,
    UsersController,
    UpstreamsController,
    McpServersController,
    ModelsController,
    TrialsController,
    ProbesController,
    ExperimentsController,
    TurnsController,
    ReplaysController,
    PlaygroundController,
    SavedViewsController,
    ExportsController,
    StatsController,
    WebhooksController,
    RedactionController,
    InstallationController,
    ConfigController,
  ],
  providers: [
    { provide: APP_GUARD, useClass: AccessGuard },
    { provide: APP_FILTER, useClass: FaultsFilter },
    Callers,
    SignInAttempts,
    KnownDevice,
    SessionService,
    LinksService,
    OidcService,
    KeysService,
    KeyLinksService,
    ConnectService,
    TeamsService,
    UsersService,
    UpstreamsService,
    McpServersService,
    ConnectionTest,
    ModelsService,
    EvidenceService,
    BreakdownService,
    DialectsService,
    TrialsService,
    ProbesService,
    ExperimentsService,
    TurnsService,
    FailureWorkService,
    ReplaysService,
    PlaygroundService,
    SavedViewsService,
    ExportsService,
    StatsService,
    RatesService,
    UsageService,
    Budgets,
    SharedBudgetsService,
    WebhooksService,
    InstallationFacts,
    StatusService,
    SettingsService,
    RedactionService,
    AuditService,
    ConfigFileService,
    QueueConsole,
    Demo,
  ],
  exports: [Demo],
})
export class AdminModule {}
