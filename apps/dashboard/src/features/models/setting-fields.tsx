import {
  type Model,
  type ModelFallback,
  type ModelSettingsChange,
  type Price,
  type SettingName,
  settingNamed,
  settingNames,
} from '@callsmith/contracts';
import { NumberInput, Select, Switch, Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatCount } from '../../lib/format.ts';
import { Fields } from '../../ui/fields.tsx';
import { FallbackField, type FallbackValues, fallbackBody, fallbackText, fallbackValues } from './fallback-field.tsx';
import { PriceField, type PriceValues, priceBody, priceText, priceValues } from './price-field.tsx';

/** What one field holds: a text, a number, a tick, a price, a list of models; an empty text where nothing is declared. */
type SettingValue = string | number | boolean | PriceValues | readonly FallbackValues[];
export type SettingValues = Record<SettingName, SettingValue>;

interface Props {
  readonly values: SettingValues;
  readonly errors: Readonly<Record<string, ReactNode>>;
  readonly onChange: (changed: Partial<SettingValues>) => void;
}

/** A field for each setting in the contract's table; numbers are side by side. */
export function SettingFields(props: Props) {
  const numbers = settingNames.filter((name) => settingNamed(name).control.kind === 'number');
  const others = settingNames.filter((name) => !numbers.includes(name));
  return (
    <>
      <Fields>
        {numbers.map((name) => (
          <SettingField key={name} name={name} {...props} />
        ))}
      </Fields>
      {others.map((name) => (
        <SettingField key={name} name={name} {...props} />
      ))}
    </>
  );
}

function SettingField({ name, values, errors, onChange }: Props & { readonly name: SettingName }) {
  const { label, description, control } = settingNamed(name);
  const set = (value: SettingValue) => onChange({ [name]: value });
  const shared = { label, description, error: errors[name] };
  switch (control.kind) {
    case 'switch':
      return (
        <Switch {...shared} checked={values[name] === true} onChange={(event) => set(event.currentTarget.checked)} />
      );
    case 'number':
      return (
        <NumberInput {...shared} value={Number(values[name]) || ''} onChange={set} min={0} thousandSeparator=" " />
      );
    case 'text':
      return (
        <Textarea
          {...shared}
          value={String(values[name])}
          onChange={(event) => set(event.currentTarget.value)}
          autosize
          minRows={2}
          maxRows={10}
        />
      );
    case 'price':
      return (
        <PriceField
          label={label}
          description={description}
          values={values[name] as PriceValues}
          errorOf={(part) => errors[`${name}.${part}`]}
          onChange={set}
        />
      );
    case 'models':
      return (
        <FallbackField
          label={label}
          description={description}
          values={values[name] as readonly FallbackValues[]}
          error={errors[name]}
          onChange={set}
        />
      );
    case 'choice':
      return (
        <Select
          {...shared}
          data={[
            { value: '', label: control.empty },
            ...control.choices.map((choice) => ({ value: String(choice.value), label: choice.label })),
          ]}
          value={String(values[name])}
          onChange={(word) => set(word ?? '')}
          allowDeselect={false}
        />
      );
  }
}

/** A value as the API has it; null: none is declared. */
type Declared = string | number | boolean | Price | ModelFallback[] | null;

/** What the fields hold at first. A value that nobody declared leaves its field empty. */
export const settingValues = (model: Model): SettingValues =>
  Object.fromEntries(settingNames.map((name) => [name, fieldOf(name, model)])) as SettingValues;

function fieldOf(name: SettingName, model: Model): SettingValue {
  const { control } = settingNamed(name);
  const value = declaredOf(name, model);
  if (control.kind === 'price') return priceValues(value as Price | null);
  if (control.kind === 'models') return fallbackValues(value as ModelFallback[] | null);
  if (control.kind === 'switch') return inEffect(name, model) === true;
  if (control.kind !== 'choice') return (value ?? '') as SettingValue;
  // What is no choice is what holds where nothing is declared.
  return control.choices.some((choice) => choice.value === value) ? String(value) : '';
}

/** What the API is sent for the fields; null: nothing declared. */
export const settingsBody = (values: SettingValues): ModelSettingsChange =>
  Object.fromEntries(settingNames.map((name) => [name, bodyOf(name, values[name])]));

function bodyOf(name: SettingName, value: SettingValue): Declared {
  const { control } = settingNamed(name);
  if (Array.isArray(value)) return fallbackBody(value);
  if (typeof value === 'object') return priceBody(value as PriceValues);
  if (value === '') return null;
  return control.kind === 'choice'
    ? (control.choices.find((choice) => String(choice.value) === value)?.value ?? null)
    : value;
}

/** A setting in words, and where its value comes from. */
export function settingText(name: SettingName, model: Model): { value: string; source: string | undefined } {
  const { control } = settingNamed(name);
  const value = inEffect(name, model);
  const reply = model[name];
  const source = typeof reply === 'object' ? reply?.source : undefined;
  return { value: value === null ? emptyOf(name) : inWords(value), source };

  function inWords(declared: NonNullable<Declared>): string {
    if (Array.isArray(declared)) return fallbackText(declared);
    if (typeof declared === 'object') return priceText(declared);
    if (control.kind === 'choice')
      return control.choices.find((choice) => choice.value === declared)?.label ?? String(declared);
    if (control.kind === 'number') return formatCount(Number(declared));
    return typeof declared === 'boolean' ? (declared ? 'yes' : 'no') : declared.toString();
  }
}

const emptyOf = (name: SettingName): string => {
  const { control } = settingNamed(name);
  return control.kind === 'switch' ? 'no' : control.empty;
};

function inEffect(name: SettingName, model: Model): Declared {
  const reply = model[name];
  return typeof reply === 'object' ? (reply?.value ?? null) : reply;
}

function declaredOf(name: SettingName, model: Model): Declared {
  const reply = model[name];
  return typeof reply === 'object' && reply?.source !== 'declared' ? null : inEffect(name, model);
}
