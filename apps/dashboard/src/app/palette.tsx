import { Combobox, Kbd, Modal, Text, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useNavigate } from 'react-router';
import { keysNamedQuery, teamsQuery } from '../features/keys/queries.ts';
import { modelsQuery } from '../features/models/queries.ts';
import { recentPages } from '../lib/recent.ts';
import { useMe } from '../lib/session.ts';
import { type PaletteItem, paletteItems } from './palette-items.ts';

const groups = [
  'Recent',
  'Pages',
  'Models',
  'Teams',
  'Keys',
  'Search',
] as const satisfies readonly PaletteItem['group'][];

/** Goes to a page, a model, a team, a key, a request or a search by what is typed; opened by Ctrl or ⌘ and K. */
export function Palette({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const me = useMe();
  const [typed, setTyped] = useState('');
  const [recent] = useState(recentPages);
  const models = useQuery(modelsQuery);
  const teams = useQuery(teamsQuery);
  const [searchText] = useDebouncedValue(typed.trim(), 200);
  const keys = useQuery(keysNamedQuery(searchText));
  const combobox = useCombobox({ opened: true, onDropdownClose: onClose });
  const { selectFirstOption } = combobox;
  const places = useMemo(
    () =>
      paletteItems(typed, {
        me,
        recent,
        models: models.data?.items ?? [],
        teams: teams.data?.items ?? [],
        keys: keys.data?.items ?? [],
      }),
    [typed, me, recent, models.data, teams.data, keys.data],
  );
  // Enter goes to the first place as long as no other is chosen.
  useEffect(() => {
    if (places.length > 0) selectFirstOption();
  }, [places, selectFirstOption]);
  return (
    <Modal opened onClose={onClose} title="Go to" size="md" yOffset="12vh">
      <Combobox
        store={combobox}
        onOptionSubmit={(where) => {
          onClose();
          void navigate(where);
        }}
      >
        <Combobox.EventsTarget>
          <TextInput
            data-autofocus
            value={typed}
            maxLength={200}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            aria-label="Go to"
            placeholder="Page, model, team, key, request ID or words"
          />
        </Combobox.EventsTarget>
        {/* What scrolls is reached by keyboard. */}
        <Combobox.Options mt="xs" mah="50dvh" style={{ overflowY: 'auto' }} tabIndex={0} aria-label="Places">
          {groups
            .map((group) => ({ group, those: places.filter((place) => place.group === group) }))
            .filter(({ those }) => those.length > 0)
            .map(({ group, those }) => (
              <Combobox.Group key={group} label={group}>
                {those.map((place) => (
                  <Combobox.Option key={place.to} value={place.to} style={{ overflowWrap: 'anywhere' }}>
                    {place.label}
                  </Combobox.Option>
                ))}
              </Combobox.Group>
            ))}
        </Combobox.Options>
      </Combobox>
      <Text fz="xs" c="dimmed" mt="xs">
        <Kbd>↑</Kbd> <Kbd>↓</Kbd> to choose, <Kbd>Enter</Kbd> to go
      </Text>
    </Modal>
  );
}
