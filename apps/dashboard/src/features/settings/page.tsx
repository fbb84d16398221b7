import { api } from '@callsmith/contracts';
import { Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { hasRole, useMe } from '../../lib/session.ts';
import { Card } from '../../ui/card.tsx';
import { Page } from '../../ui/page.tsx';
import { LoadingRows, NoPermission, Problem } from '../../ui/states.tsx';
import { settingsQuery } from './queries.ts';
import { Redaction } from './redaction.tsx';
import { SettingsForm } from './settings-form.tsx';
import { Webhooks } from './webhooks.tsx';

/** What is stored of requests and for how long, what is masked in it, and where alerts are sent. */
export function SettingsPage() {
  const allowed = hasRole(useMe(), 'admin');
  const settings = useQuery({ ...settingsQuery, enabled: allowed });
  return (
    <Page title="Settings">
      {!allowed && <NoPermission />}
      {allowed && settings.isLoadingError && <Problem error={settings.error} onRetry={() => void settings.refetch()} />}
      {allowed && settings.isPending && <LoadingRows rows={4} />}
      {settings.data && (
        <Stack gap="md">
          <Card
            title="Data retention"
            subtitle="Metrics are recorded for every request. Bodies of requests with tools are stored by these rules."
          >
            <SettingsForm settings={settings.data} />
          </Card>
          <Redaction />
          <Webhooks />
          <Card
            title="Configuration file"
            subtitle="Teams, upstreams, models, keys, alerts and MCP servers as a file for CONFIG_FILE, with a reference in the place of each secret."
          >
            <Button component="a" href={api.config.file.path} size="xs" variant="default">
              Export
            </Button>
          </Card>
        </Stack>
      )}
    </Page>
  );
}
