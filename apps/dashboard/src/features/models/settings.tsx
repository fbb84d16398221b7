import { capabilityLabel, capabilityNames, type Model, settingNamed, settingNames } from '@callsmith/contracts';
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Fragment, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { useAddress } from '../../lib/address.ts';
import { client } from '../../lib/api.ts';
import { formatBytes } from '../../lib/format.ts';
import { hasRole, useMe } from '../../lib/session.ts';
import { Card } from '../../ui/card.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { SourceNote } from '../../ui/source-note.tsx';
import { settingText } from './setting-fields.tsx';
import css from './settings.module.css';
import { SettingsForm } from './settings-form.tsx';

/** The settings in effect, each with where it comes from. */
export function Settings({ model }: { model: Model }) {
  const me = useMe();
  const address = useAddress();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const mayChange = hasRole(me, 'admin') && model.managedBy === null;
  return (
    <Card
      title="Settings"
      aside={
        mayChange && (
          <>
            <Button size="xs" variant="default" onClick={() => address.set({ edit: 'settings' })}>
              Edit…
            </Button>
            {!model.demo && (
              <Button size="xs" variant="default" onClick={() => address.set({ remove: 'model' })}>
                Remove…
              </Button>
            )}
          </>
        )
      }
    >
      <dl className={css.list}>
        {rowsOf(model).map(({ name, value, source }) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>
              {value}
              {source && <SourceNote source={source} />}
            </dd>
          </Fragment>
        ))}
      </dl>
      {address.get('edit') === 'settings' && mayChange && (
        <SettingsForm model={model} onClose={() => address.set({ edit: null })} />
      )}
      {address.get('remove') === 'model' && mayChange && (
        <Confirm
          title={`Remove ${model.name}?`}
          action="Remove"
          danger
          onConfirm={async () => {
            await client.models.remove({ params: { id: model.id } });
            await navigate('/models', { replace: true });
            await queryClient.invalidateQueries({ queryKey: ['models'] });
          }}
          onClose={() => address.set({ remove: null })}
        >
          Clients that request it get an error. It is not added again automatically, even if an upstream still lists it.
          Its recorded requests stay.
        </Confirm>
      )}
    </Card>
  );
}

interface Row {
  readonly name: string;
  readonly value: ReactNode;
  readonly source?: string | undefined;
}

const rowsOf = (model: Model): Row[] => [
  { name: 'Strategy', value: model.strategy.value, source: model.strategy.source },
  { name: 'Dialect', value: model.dialect.value, source: model.dialect.source },
  {
    name: 'Buffer tool calls',
    value:
      model.holdBytes.value === null ? 'until complete' : `up to ${formatBytes(model.holdBytes.value)} of arguments`,
    source: model.holdBytes.source,
  },
  ...capabilities(model),
  ...settingNames.map((name) => ({ name: settingNamed(name).label, ...settingText(name, model) })),
  { name: 'Aliases', value: model.aliases.length > 0 ? model.aliases.join(', ') : 'none' },
  ...model.routes.map((route) => ({
    name: 'Upstream',
    value: `${route.upstream}${route.upstreamModel === model.name ? '' : ` as ${route.upstreamModel}`}${model.routes.length > 1 ? `, weight ${route.weight}` : ''}`,
    source: route.source,
  })),
];

const capabilities = (model: Model): Row[] =>
  capabilityNames.map((name) => {
    const capability = model.capabilities[name];
    return {
      name: capabilityLabel(name),
      value: capability ? (capability.value ? 'yes' : 'no') : 'unknown',
      source: capability?.source,
    };
  });
