import { Kbd, Modal, Stack, Switch, Table } from '@mantine/core';
import { useSingleKeys } from '../lib/keys.ts';

const keys = [
  ['j', 'next failure'],
  ['k', 'previous failure'],
  ['o', 'open the chosen failure on its own'],
  ['Left, Right', 'in a chart: from column to column'],
  ['Enter', 'in a chart: the failures of the column'],
  ['?', 'this list'],
] as const;

/** The keys that do something, and a switch for those that are single letters. */
export function KeysHelp({ onClose }: { onClose: () => void }) {
  const [on, setOn] = useSingleKeys();
  return (
    <Modal opened onClose={onClose} title="Keys" size="sm">
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
          label="Single letters do something"
          checked={on}
          onChange={({ currentTarget }) => setOn(currentTarget.checked)}
        />
      </Stack>
    </Modal>
  );
}
