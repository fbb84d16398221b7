export { type InstallationSettings, SETTINGS_NAME, settingsOf } from './installation-settings.ts';
export { editSetting, readSetting, writeSetting } from './settings.ts';
