import { Button, CloseButton, Group, Select, Stack, Text, Textarea } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Card } from '../../ui/card.tsx';
import { type Draft, type DraftMessage, withoutMessage } from './draft.ts';
import css from './playground.module.css';
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
        {messages.map((message, n) => (
          <MessageField
            key={message.key}
            n={n + 1}
            message={message}
            onChange={(now) => change(message.key, now)}
            onRemove={messages.length === 1 ? undefined : () => onChange(withoutMessage(draft, message.key))}
          />
        ))}
        <FieldError>{error}</FieldError>
      </Stack>
    </Card>
  );
}

function MessageField({
  n,
  message: { role, content, calls, resultOf },
  onChange,
  onRemove,
}: {
  n: number;
  message: DraftMessage;
  onChange: (now: Partial<DraftMessage>) => void;
  onRemove: (() => void) | undefined;
}) {
  const isAsAnswered = calls !== undefined || resultOf !== undefined;
  return (
    <Group gap="xs" align="flex-start" wrap="nowrap">
      <Select
        size="xs"
        w={104}
        flex="none"
        aria-label={`Role of message ${n}`}
        data={isAsAnswered ? [role] : roles}
        value={role}
        onChange={(chosen) => chosen && onChange({ role: chosen })}
        allowDeselect={false}
        disabled={isAsAnswered}
      />
      <Stack gap={4} flex={1} miw={0}>
        <Textarea
          size="xs"
          aria-label={resultOf ? `Message ${n}, result of ${resultOf.name}` : `Message ${n}`}
          placeholder={resultOf && `Result of ${resultOf.name}`}
          value={content}
          onChange={(event) => onChange({ content: event.currentTarget.value })}
          autosize
          minRows={role === 'system' || calls ? 1 : 2}
          maxRows={12}
        />
        {calls?.map((call) => (
          <code key={call.id} className={css.call}>
            {call.name} {call.arguments}
          </code>
        ))}
      </Stack>
      {/* A result goes with the answer that called for it. */}
      <CloseButton
        aria-label={`Remove message ${n}`}
        disabled={!onRemove || resultOf !== undefined}
        onClick={onRemove}
      />
    </Group>
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
    subtitle="A JSON array, as in chat completions. Templates contain the client’s tool names and arguments, with short descriptions."
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
      rows={14}
      resize="vertical"
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
