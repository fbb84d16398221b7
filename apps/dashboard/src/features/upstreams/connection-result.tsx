import { Alert, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { formatCount, formatMillis } from '../../lib/format.ts';
import { Tag } from '../../ui/tag.tsx';
import { kindNames } from './kinds.ts';
import type { TestResult } from './queries.ts';

/** What a connection test found, or what went wrong and what to check. */
export const ConnectionResult = ({ result }: { result: TestResult }) => (
  <Alert
    color={result.ok ? 'teal' : 'red'}
    variant="light"
    icon={result.ok ? <IconCheck size={18} /> : <IconAlertTriangle size={18} />}
    title={result.ok ? 'Connected' : 'Connection failed'}
    role="status"
  >
    <Stack gap={6}>
      <span style={{ overflowWrap: 'anywhere' }}>{result.say}</span>
      {result.ok && (
        <Group gap={6}>
          {result.kind && (
            <Tag>
              {kindNames[result.kind]}
              {result.engineVersion && ` ${result.engineVersion}`}
            </Tag>
          )}
          {result.latencyMs !== null && <Tag>{formatMillis(result.latencyMs)}</Tag>}
        </Group>
      )}
      {result.models.map((model) => (
        <Text key={model.name} fz="sm">
          <span className="mono">{model.name}</span>
          {model.contextLength !== null && ` · ${formatCount(model.contextLength)} tokens`}
          {model.tools !== null &&
            ` · ${model.tools ? 'supports tools' : 'does not support tools: Callsmith will use the strategy prompt'}`}
        </Text>
      ))}
    </Stack>
  </Alert>
);
