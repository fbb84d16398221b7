import type { Price } from '@callsmith/contracts';
import { Input, NumberInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useMe } from '../../lib/session.ts';
import { Fields } from '../../ui/fields.tsx';

/** A price as it is in a form; all empty: none. */
export type PriceValues = Record<keyof Price, number | string>;

const parts = {
  input: 'Input',
  cachedInput: 'Cached input',
  output: 'Output',
} as const satisfies Record<keyof Price, string>;

const names = Object.keys(parts) as (keyof Price)[];

interface Props {
  readonly label: string;
  readonly description: string;
  readonly values: PriceValues;
  readonly errorOf: (part: keyof Price) => ReactNode;
  readonly onChange: (values: PriceValues) => void;
}

/** What a million tokens of a model cost. */
export function PriceField({ label, description, values, errorOf, onChange }: Props) {
  const { currency } = useMe().installation;
  return (
    <Input.Wrapper label={`${label} (${currency})`} description={description} labelElement="div">
      <Fields>
        {names.map((name) => (
          <NumberInput
            key={name}
            label={parts[name]}
            placeholder={name === 'cachedInput' ? 'as input' : 'none'}
            value={values[name]}
            onChange={(value) => onChange({ ...values, [name]: value })}
            error={errorOf(name)}
            min={0}
            decimalScale={6}
          />
        ))}
      </Fields>
    </Input.Wrapper>
  );
}

/** A price as it is in a form. */
export const priceValues = (price: Price | null): PriceValues => ({
  input: price?.input ?? '',
  cachedInput: price?.cachedInput ?? '',
  output: price?.output ?? '',
});

/** What the API is sent; null: none. A part that is missing costs nothing, cached input as much as other input. */
export function priceBody({ input, cachedInput, output }: PriceValues): Price | null {
  if (input === '' && cachedInput === '' && output === '') return null;
  return {
    input: Number(input),
    ...(cachedInput !== '' && { cachedInput: Number(cachedInput) }),
    output: Number(output),
  };
}

/** A price in words. */
export const priceText = ({ input, cachedInput, output }: Price): string =>
  `${input} in${cachedInput === undefined ? '' : `, ${cachedInput} cached`}, ${output} out`;
