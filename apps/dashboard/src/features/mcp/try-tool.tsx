import { api, type McpServer, type McpTool } from '@callsmith/contracts';
import { Alert, NumberInput, Select, Switch, Textarea, TextInput } from '@mantine/core';
import { client } from '../../lib/api.ts';
import { formatMillis } from '../../lib/format.ts';
import { useApiForm } from '../../lib/use-api-form.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextBlock } from '../../ui/text-block.tsx';
import { type Argument, argumentsIn, argumentsOf } from './tool-arguments.ts';

/** Calls a tool with values of a form that is made of its schema. */
export function TryTool({ server, tool, onClose }: { server: McpServer; tool: McpTool; onClose: () => void }) {
  const fields = argumentsIn(tool.definition.inputSchema);
  const form = useApiForm({
    initialValues: Object.fromEntries(
      fields.map(({ name, kind }) => [name, kind === 'boolean' ? false : '']),
    ) as Record<string, string | number | boolean>,
    schema: api.mcpServers.call.body,
    bodyOf: (values) => ({ tool: tool.name, arguments: argumentsOf(fields, values) }),
    send: (body) => client.mcpServers.call({ params: { id: server.id }, body }),
  });
  return (
    <FormDialog form={form} title={`Try ${tool.name}`} action="Call" onClose={onClose}>
      {fields.map((field) => (
        <Field key={field.name} field={field} props={form.getInputProps(field.name, { type: inputType(field) })} />
      ))}
      {form.reply && (
        <Alert
          color={form.reply.isError ? 'red' : 'gray'}
          variant="light"
          title={`${form.reply.isError ? 'The tool failed' : 'Result'}, ${formatMillis(form.reply.tookMs)}`}
        >
          <TextBlock name="Result" text={form.reply.text} height={240} />
        </Alert>
      )}
    </FormDialog>
  );
}

const inputType = ({ kind }: Argument): 'checkbox' | 'input' => (kind === 'boolean' ? 'checkbox' : 'input');

function Field({ field: { name, kind, description, required, choices }, props }: { field: Argument; props: object }) {
  const shared = { label: name, description, withAsterisk: required, ...props };
  if (kind === 'boolean') return <Switch {...shared} />;
  if (kind === 'number') return <NumberInput {...shared} />;
  if (kind === 'choice') return <Select {...shared} data={[...choices]} clearable={!required} />;
  if (kind === 'json') return <Textarea {...shared} placeholder="JSON" autosize minRows={2} maxRows={10} />;
  return <TextInput {...shared} />;
}
