import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dialectsQuery } from '../../../lib/dialects.ts';
import { recordedDialect } from './queries.ts';

/** Chooses the dialect in which answers are read; `then`: that of the turn, where there is one. */
export function DialectSelect({
  value,
  then,
  onChange,
}: {
  value: string;
  then?: string | null;
  onChange: (dialect: string) => void;
}) {
  const [choosing, setChoosing] = useState(false);
  const dialects = useQuery({ ...dialectsQuery, enabled: choosing });
  const names = new Set(['auto', ...(dialects.data?.items.map(({ name }) => name) ?? [])]);
  if (value !== recordedDialect) names.add(value);
  return (
    <Select
      size="xs"
      w={210}
      aria-label="Dialect"
      data={[{ value: recordedDialect, label: then ? `As recorded: ${then}` : 'As recorded' }, ...names]}
      value={value}
      onChange={(dialect) => onChange(dialect ?? recordedDialect)}
      onDropdownOpen={() => setChoosing(true)}
      allowDeselect={false}
      searchable
      maxDropdownHeight={320}
    />
  );
}
