import { Kbd, Modal, Stack, Switch, Table } from '@mantine/core';
import { useSingleKeys } from '../lib/keys.ts';

const keys = [
  ['j', 'select the next failure'],
  ['k', 'select the previous failure'],
  ['o', 'open the full page of the selected failure'],
  ['Left, Right', 'in a chart: move between columns'],
  ['Enter', 'in a chart: show the column’s failures'],
  ['Ctrl K', 'go to a page, a model or a request (⌘ K on a Mac)'],
  ['?', 'show these shortcuts'],
] as const;

/** The keyboard shortcuts, and a switch for those that are single letters. */
export function KeysHelp({ onClose }: { onClose: () => void }) {
  const [on, setOn] = useSingleKeys();
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts" size="sm">
      <Stack>
        <Table verticalSpacing={6}>
          <Table.Tbody>
            {keys.map(([key, what]) => (
              <Table.Tr key={key}>
                <Table.Td w={90}>
                  <Kbd>{key}</Kbd>
                </Table.Td>
                <Table.Td>{what}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        <Switch
          label="Enable single-key shortcuts"
          checked={on}
          onChange={({ currentTarget }) => setOn(currentTarget.checked)}
        />
      </Stack>
    </Modal>
  );
}
