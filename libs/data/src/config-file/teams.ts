import { newId } from '../ids.ts';
import { insertTeam, removeTeam, updateTeam } from '../teams.ts';
import type { EntryOf, Section } from './section.ts';

/** Teams by name. One that is removed from the file cannot be disabled, because its requests stay: it is released. */
export const teams: Section<EntryOf<'teams'>> = {
  secrets: [],
  nameOf: ({ name }) => name,
  async rows({ prisma }) {
    const rows = await prisma.team.findMany({ where: { demo: false }, orderBy: { name: 'asc' } });
    return rows.map(({ id, name, storesBodies, managedBy }) => ({
      id,
      name,
      managed: managedBy === 'file',
      active: true,
      fields: { storesBodies },
    }));
  },
  rowOf: (_, { name }, rows) => rows.find((row) => row.name === name),
  fieldsOf: ({ storesBodies }) => ({ storesBodies }),
  async put({ prisma, by }, { name, storesBodies }, row) {
    const { id } = row ?? (await insertTeam(prisma, by, { id: newId('team'), name, storesBodies }));
    await updateTeam(prisma, by, id, { storesBodies, managedBy: 'file' });
  },
  without: 'release',
  async disable({ prisma, by }, { id }) {
    await updateTeam(prisma, by, id, { managedBy: null });
  },
  async remove(place, row) {
    const kept = await removeTeam(place.prisma, place.by, row.id);
    if (kept !== null) await teams.disable(place, row);
  },
};
