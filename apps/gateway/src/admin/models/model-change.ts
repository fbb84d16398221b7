import { type api, type InputOf, type SettingName, settingNames } from '@callsmith/contracts';

/** The changeable fields of a model. */
export type ModelChange = Omit<
  NonNullable<InputOf<typeof api.models.change>['body']>,
  'reason' | 'routes' | 'capabilities'
>;

/** Whether a field of a change is a setting that is stored as an entry. */
const isSetting = (name: string): name is SettingName => (settingNames as readonly string[]).includes(name);

/** The fields of a change that are settings stored as entries. */
export const settingsIn = (change: ModelChange): Pick<ModelChange, SettingName> =>
  Object.fromEntries(Object.entries(change).filter(([name]) => isSetting(name)));

/** The columns of the other fields of a change; fields that are not given stay unchanged. */
export function changeColumns({ strategy, holdBytes, ...rest }: Omit<ModelChange, SettingName>) {
  const plain = Object.entries(rest).filter(([name, value]) => value !== undefined && !isSetting(name));
  return {
    ...(Object.fromEntries(plain) as { [Name in keyof typeof rest]: Exclude<(typeof rest)[Name], undefined> }),
    ...(strategy !== undefined && { strategy, strategySource: 'declared' }),
    ...(holdBytes !== undefined && {
      holdBytes: holdBytes === 'default' ? null : holdBytes,
      holdsWhole: holdBytes === null,
    }),
  };
}
