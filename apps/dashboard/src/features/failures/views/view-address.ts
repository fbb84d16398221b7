import {
  type FacetName,
  facetLabels,
  filterNames,
  type SavedView,
  type ViewAddress,
  type ViewScreen,
  viewAddress,
} from '@callsmith/contracts';
import { linkTo } from '../../../lib/address.ts';
import { periodOf, periodText } from '../../../lib/period.ts';

/** Where a saved view leads. */
export const pathOf = ({ screen, address }: Pick<SavedView, 'screen' | 'address'>): string =>
  linkTo(`/${screen}`, address);

/** What of an address a saved view holds: filters, time range, list or groups. */
export function viewIn(params: URLSearchParams): ViewAddress {
  const parts = [...params].filter(([name, value]) => viewAddress.safeParse({ [name]: value }).success);
  return Object.fromEntries(parts);
}

/** True if an address shows just what a view holds. */
export function shows(params: URLSearchParams, { address }: Pick<SavedView, 'address'>): boolean {
  const currentView = viewIn(params);
  const names = new Set([...Object.keys(currentView), ...Object.keys(address)]);
  return [...names].every((name) => currentView[name] === address[name]);
}

const otherLabels: Readonly<Record<string, string>> = {
  text: 'Text',
  argument: 'Argument',
  requestId: 'Request ID',
  conversation: 'Conversation',
};

/** What a view holds, in words, e.g. `Model qwen3, Outcome failed, the last 7 days`. */
export function viewText(address: ViewAddress, screen: ViewScreen): string {
  const filters = filterNames.flatMap((name) => {
    const value = address[name];
    if (value === undefined) return [];
    if (name === 'group') return 'one failure group';
    if (name === 'shape') return 'one failure pattern';
    return `${facetLabels[name as FacetName] ?? otherLabels[name] ?? name} ${value}`;
  });
  const params = new URLSearchParams(Object.entries(address).map(([name, value]) => [name, String(value)]));
  const timed = params.has('range') || params.has('from');
  const all = screen === 'failures' ? 'All failures' : 'All requests';
  return [...(filters.length === 0 ? [all] : filters), ...(timed ? [periodText(periodOf(params))] : [])].join(', ');
}
