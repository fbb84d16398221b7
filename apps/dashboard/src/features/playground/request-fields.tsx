import { Button, CloseButton, Group, Select, Stack, Text, Textarea } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Card } from '../../ui/card.tsx';
import type { Draft, DraftMessage } from './draft.ts';
import { toolTemplates } from './tool-templates.ts';

type Change = (draft: Draft) => void;

const roles = ['system', 'user', 'assistant'];

/** The messages of a request, one below the other. */
export function MessageFields({
  draft,
  error,
  onChange,
}: {
  draft: Draft;
  error: string | undefined;
  onChange: Change;
}) {
  const { messages } = draft;
  const change = (key: number, now: Partial<DraftMessage>) =>
    onChange({ ...draft, messages: messages.map((one) => (one.key === key ? { ...one, ...now } : one)) });
  const add = () => {
    const key = Math.max(0, ...messages.map((one) => one.key)) + 1;
    const role = messages.at(-1)?.role === 'user' ? 'assistant' : 'user';
    onChange({ ...draft, messages: [...messages, { key, role, content: '' }] });
  };
  return (
    <Card
      title="Messages"
      aside={
        <Button size="xs" variant="default" leftSection={<IconPlus size={14} aria-hidden="true" />} onClick={add}>
          Add message
        </Button>
      }
    >
      <Stack gap="xs">
        {messages.map(({ key, role, content }, n) => (
          <Group key={key} gap="xs" align="flex-start" wrap="nowrap">
            <Select
              size="xs"
              w={104}
              flex="none"
              aria-label={`Role of message ${n + 1}`}
              data={roles}
              value={role}
              onChange={(chosen) => chosen && change(key, { role: chosen })}
              allowDeselect={false}
            />
            <Textarea
              size="xs"
              flex={1}
              aria-label={`Message ${n + 1}`}
              value={content}
              onChange={(event) => change(key, { content: event.currentTarget.value })}
              autosize
              minRows={role === 'system' ? 1 : 2}
              maxRows={12}
            />
            <CloseButton
              aria-label={`Remove message ${n + 1}`}
              disabled={messages.length === 1}
              onClick={() => onChange({ ...draft, messages: messages.filter((one) => one.key !== key) })}
            />
          </Group>
        ))}
        <FieldError>{error}</FieldError>
      </Stack>
    </Card>
  );
}

/** The tools on offer, from a template or pasted. */
export const ToolsField = ({
  draft,
  error,
  onChange,
}: {
  draft: Draft;
  error: string | undefined;
  onChange: Change;
}) => (
  <Card
    title="Tools"
    subtitle="A JSON array, as in chat completions. Templates have the names and arguments of the client’s tools, with short descriptions."
    aside={
      <Select
        size="xs"
        w={190}
        aria-label="Template"
        placeholder="Insert a template"
        data={Object.keys(toolTemplates)}
        value={null}
        onChange={(name) => name && onChange({ ...draft, tools: JSON.stringify(toolTemplates[name], null, 2) })}
      />
    }
  >
    <Textarea
      size="xs"
      aria-label="Tools"
      classNames={{ input: 'mono' }}
      value={draft.tools}
      onChange={(event) => onChange({ ...draft, tools: event.currentTarget.value })}
      error={error}
      autosize
      minRows={4}
      maxRows={14}
      spellCheck={false}
    />
  </Card>
);

const FieldError = ({ children }: { children: string | undefined }) =>
  children && (
    <Text c="var(--mantine-color-error)" fz="sm" role="alert">
      {children}
    </Text>
  );
