import { api, type McpServer } from '@callsmith/contracts';
import { Checkbox, Select, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { client } from '../../lib/api.ts';
import { plural } from '../../lib/format.ts';
import { useApiForm } from '../../lib/use-api-form.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { teamsQuery } from './queries.ts';

/** Says which tools of a server a team may use. */
export function AccessForm({ server, onClose }: { server: McpServer; onClose: () => void }) {
  const teams = useQuery(teamsQuery);
  const usedBy = (teamId: string) => server.tools.filter((tool) => tool.teams.includes(teamId)).map(({ name }) => name);
  const form = useApiForm({
    initialValues: { teamId: '', tools: [] as string[] },
    schema: api.mcpServers.grant.body,
    bodyOf: (values) => values,
    messages: { teamId: 'Choose a team.' },
    send: (body) => client.mcpServers.grant({ params: { id: server.id }, body }),
    outdates: ['mcp-servers'],
    saved: () => 'Saved. Takes effect with the next request.',
    onSaved: onClose,
  });
  const { teamId } = form.values;
  return (
    <FormDialog form={form} title={`Access to ${server.name}`} action="Save" onClose={onClose}>
      <Select
        label="Team"
        data={(teams.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        {...form.getInputProps('teamId')}
        value={teamId || null}
        onChange={(id) => form.setValues({ teamId: id ?? '', tools: usedBy(id ?? '') })}
        allowDeselect={false}
        searchable
        data-autofocus
      />
      {teamId !== '' && (
        <Checkbox.Group
          label="Tools"
          description={`Its keys may use ${plural(form.values.tools.length, 'tool')} of ${server.tools.length}.`}
          {...form.getInputProps('tools')}
        >
          <Stack gap={6} mt={6}>
            {server.tools.map(({ name }) => (
              <Checkbox key={name} value={name} label={<span className="mono">{name}</span>} />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
    </FormDialog>
  );
}
