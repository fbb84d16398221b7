import { type FacetCounts, type FacetName, facetLabels } from '@callsmith/contracts';
import { turnOutcomes } from '@callsmith/turn';
import { Anchor, Text, Title, VisuallyHidden } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useId } from 'react';
import { useAddress } from '../../lib/address.ts';
import { classTexts } from '../../lib/explain.ts';
import { formatCount, plural } from '../../lib/format.ts';
import { OutcomeBadge } from '../../ui/outcome.tsx';
import css from './facets.module.css';

type Facet = FacetCounts['facets'][number];
type Value = Facet['values'][number];

/** How many values of a facet are shown at first. */
const SHORT = 8;

/** Filters requests by values, each with its count; a click on the selected one clears it. */
export function Facets({ counts, beside }: { counts: FacetCounts; beside: boolean }) {
  const { total, newest, facets } = counts;
  return (
    <section aria-label="Filters">
      <Text role="status" fz="xs" c="dimmed" mb="sm">
        {plural(total, 'result')}
        {newest !== null && ` in the newest ${formatCount(newest)} requests; counts with + exclude older ones`}.
      </Text>
      <div className={beside ? css.beside : css.above}>
        {facets
          .map(({ values, ...facet }) => ({ ...facet, values: values.filter(isNamed) }))
          .filter(({ values }) => values.length > 0)
          .map((facet) => (
            <FacetList key={facet.name} facet={facet} bounded={newest !== null} />
          ))}
      </div>
    </section>
  );
}

// A request that was refused before its model was read has none.
const isNamed = ({ value }: Value): boolean => value !== '';

function FacetList({ facet, bounded }: { facet: Facet; bounded: boolean }) {
  const address = useAddress();
  const title = useId();
  const { name, values, more } = facet;
  const chosen = address.get(name);
  const whole = address.get('more') === name;
  const shown = values.filter(({ value }, place) => whole || place < SHORT || value === chosen);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend is no heading
    <div role="group" aria-labelledby={title}>
      <Title order={2} fz="xs" c="dimmed" fw={550} id={title} className={css.title ?? ''}>
        {facetLabels[name]}
      </Title>
      <ul className={css.list}>
        {shown.map((value) => (
          <li key={value.value}>
            <FacetButton facet={name} value={value} bounded={bounded} chosen={value.value === chosen} />
          </li>
        ))}
      </ul>
      {values.length > SHORT && (
        <Anchor component="button" fz="xs" ml={8} onClick={() => address.set({ more: whole ? null : name })}>
          {whole ? 'Show fewer' : `${formatCount(values.length - shown.length + more)} more`}
          <VisuallyHidden> of {facetLabels[name]}</VisuallyHidden>
        </Anchor>
      )}
      {whole && more > 0 && (
        <Text fz="xs" c="dimmed" ml={8}>
          {plural(more, 'value')} with fewer requests {more === 1 ? 'is' : 'are'} not listed.
        </Text>
      )}
    </div>
  );
}

interface Choice {
  readonly facet: FacetName;
  readonly value: Value;
  readonly bounded: boolean;
  readonly chosen: boolean;
}

function FacetButton({ facet, value: { value, label, count }, bounded, chosen }: Choice) {
  const address = useAddress();
  return (
    <button
      type="button"
      className={css.value}
      aria-pressed={chosen}
      title={facet === 'class' ? classTexts[value] : undefined}
      onClick={() => address.set({ [facet]: chosen ? null : value, turn: null }, true)}
    >
      <span className={css.label}>
        {facet === 'outcome' && isOutcome(value) ? <OutcomeBadge outcome={value} /> : textOf(facet, label)}
      </span>
      <span className={css.count}>
        {formatCount(count)}
        {bounded && '+'}
        <VisuallyHidden> requests</VisuallyHidden>
        {chosen && <IconX size={12} aria-hidden="true" />}
      </span>
    </button>
  );
}

const textOf = (facet: FacetName, label: string): string => {
  if (facet !== 'streamed' && facet !== 'corrected') return label;
  return label === 'true' ? 'Yes' : 'No';
};

const isOutcome = (word: string): word is (typeof turnOutcomes)[number] | 'error' =>
  word === 'error' || (turnOutcomes as readonly string[]).includes(word);
