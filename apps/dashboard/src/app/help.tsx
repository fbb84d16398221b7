import { Kbd, Modal, Stack, Switch, Table, Text, Title } from '@mantine/core';
import { useShortcutsEnabled } from '../lib/shortcuts.ts';
import { words } from './glossary.ts';
import css from './help.module.css';

const keys = [
  ['j', 'select the next failure'],
  ['k', 'select the previous failure'],
  ['o', 'open the full page of the selected failure'],
  ['/', 'search the client request of the selected failure'],
  ['Left, Right', 'in a chart: move between columns'],
  ['Enter', 'in a chart: show the column’s failures'],
  ['Ctrl K', 'go to a page, a model or a request (⌘ K on a Mac)'],
  ['?', 'show this help'],
] as const;

/** The keyboard shortcuts with a switch for those that are single letters, and what the words on the screens mean. */
export function Help({ onClose }: { onClose: () => void }) {
  const [on, setOn] = useShortcutsEnabled();
  return (
    <Modal opened onClose={onClose} title="Help" size="lg">
      <Stack>
        <Title order={3} fz="sm">
          Keyboard shortcuts
        </Title>
        <Table verticalSpacing={6} aria-label="Keyboard shortcuts">
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
        <Title order={3} fz="sm">
          Words
        </Title>
        <dl className={css.words ?? ''}>
          {words.map(([word, meaning]) => (
            <div key={word}>
              <Text component="dt" fz="sm" fw={600}>
                {word}
              </Text>
              <Text component="dd" fz="sm" m={0}>
                {meaning}
              </Text>
            </div>
          ))}
        </dl>
      </Stack>
    </Modal>
  );
}
