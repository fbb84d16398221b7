export { claimSecretKey, WrongSecretKey } from './claim-secret-key.ts';
export { fitsPassword, hashPassword } from './passwords.ts';
export {
  CannotUnseal,
  hashDevice,
  hashKey,
  hashLink,
  hashSession,
  hintOf,
  newApiKey,
  newPassword,
  newToken,
  seal,
  unseal,
} from './secrets.ts';
