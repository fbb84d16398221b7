import type { Team } from '@callsmith/contracts';
import { Refused } from './exit-codes.ts';
import type { Gateway } from './gateway.ts';

/** The team of that name. Throws `Refused`, listing those that exist. */
export async function teamNamed(client: Gateway['client'], name: string): Promise<Team> {
  const { items } = await client.teams.list();
  const found = items.find((team) => team.name === name);
  if (found !== undefined) return found;
  const others = items.slice(0, 20).map((team) => team.name);
  const existing = others.length === 0 ? 'There are no teams yet.' : `Existing teams: ${others.join(', ')}.`;
  throw new Refused(`There is no team "${name}". ${existing}`);
}
