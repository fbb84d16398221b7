import { api, type Pattern } from '@callsmith/contracts';
import { Text, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { tryQuery } from './queries.ts';

/** A pattern as it is typed. */
export type PatternValues = Omit<Pattern, 'id' | 'atLeast'> & { readonly atLeast: number | string };

/** Shows a text as it would be stored with the pattern in the form. */
export function PatternTester({ values }: { values: PatternValues }) {
  const [text, setText] = useState('');
  const [debouncedText] = useDebouncedValue(text, 300);
  const [pattern] = useDebouncedValue(values, 300);
  const body = triedOf(debouncedText, pattern);
  const tried = useQuery({ ...tryQuery(body), enabled: body.text !== '' });
  return (
    <>
      <Textarea
        label="Test text"
        description="This text is not stored."
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        maxLength={10_000}
        autosize
        minRows={2}
        maxRows={6}
      />
      {text !== '' && (
        <div>
          <Text fz="sm" fw={500} id="tried-label">
            As it would be stored
          </Text>
          <Text
            component="output"
            display="block"
            className="mono"
            fz="sm"
            aria-labelledby="tried-label"
            style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
          >
            {tried.isError ? tried.error.message : tried.data?.masked}
          </Text>
        </div>
      )}
    </>
  );
}

/** The pattern takes part once it is one; its name does not matter. */
function triedOf(text: string, values: PatternValues) {
  const pattern = api.redaction.add.body.safeParse({ ...values, name: 'tried' });
  return { text, ...(pattern.success && { pattern: pattern.data }) };
}
