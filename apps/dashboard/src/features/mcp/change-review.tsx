import type { McpServer, McpTool } from '@callsmith/contracts';
import { Box, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { client } from '../../lib/api.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { TextBlock } from '../../ui/text-block.tsx';
import { toast } from '../../ui/toast.ts';
import { mcpServersQuery } from './queries.ts';

type Definition = McpTool['definition'];

/** A tool’s new description beside the accepted one, which models get until the new one is accepted. */
export function ChangeReview({ server, tool, onClose }: { server: McpServer; tool: McpTool; onClose: () => void }) {
  const queryClient = useQueryClient();
  const accept = async () => {
    await client.mcpServers.accept({ params: { id: server.id }, body: { tools: [tool.name] } });
    await queryClient.invalidateQueries({ queryKey: mcpServersQuery.queryKey });
    toast(`${tool.name}: accepted.`);
  };
  const { definition: before, changedTo: after } = tool;
  if (after === null) return null;
  return (
    <Confirm title={`${tool.name} has changed`} action="Accept" onConfirm={accept} onClose={onClose}>
      <Text fz="sm" mb="sm">
        Read it carefully: your models follow it as an instruction.
      </Text>
      {parts.map(({ title, text }) =>
        text(before) === text(after) ? null : (
          <Box key={title} mb="sm">
            <Text fw={600} fz="sm">
              {title}
            </Text>
            <Version name="accepted" text={text(before)} />
            <Version name="now" text={text(after)} />
          </Box>
        ),
      )}
    </Confirm>
  );
}

const parts: readonly { readonly title: string; readonly text: (definition: Definition) => string }[] = [
  { title: 'Description', text: ({ description }) => description },
  { title: 'Schema', text: ({ inputSchema }) => JSON.stringify(inputSchema, null, 2) },
];

const Version = ({ name, text }: { name: string; text: string }) => (
  <Box mt={4}>
    <Text fz="xs" c="dimmed">
      {name}
    </Text>
    <TextBlock name={name} text={text} height={180} />
  </Box>
);
