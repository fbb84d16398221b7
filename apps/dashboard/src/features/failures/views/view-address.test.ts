import { expect, it } from 'vitest';
import { pathOf, shows, viewIn, viewText } from './view-address.ts';

const params = (query: string) => new URLSearchParams(query);

it('a view holds filters and the time range of an address, and neither what is selected nor a dialog', () => {
  const address = viewIn(params('model=qwen3&range=7d&view=list&turn=turn_1&replay=auto&facets=yes&key=key_1'));
  expect(address).toEqual({ model: 'qwen3', range: '7d', view: 'list', key: 'key_1' });
  expect(pathOf({ screen: 'failures', address })).toBe('/failures?model=qwen3&range=7d&view=list&key=key_1');
});

it('an address shows a view whatever is selected in it, and no longer with another filter', () => {
  const view = { address: { model: 'qwen3' } };
  expect(shows(params('model=qwen3&turn=turn_1'), view)).toBe(true);
  expect(shows(params('model=qwen3&outcome=failed'), view)).toBe(false);
  expect(shows(params(''), view)).toBe(false);
});

it('a view is described by its filters', () => {
  expect(viewText({ model: 'qwen3', outcome: 'failed', range: '7d' }, 'failures')).toBe(
    'Model qwen3, Outcome failed, the last 7 days',
  );
  expect(viewText({ group: 'x', code: 'upstream_timeout' }, 'failures')).toBe(
    'one failure group, Error code upstream_timeout',
  );
  expect(viewText({}, 'transcripts')).toBe('All requests');
});
