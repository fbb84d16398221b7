export { claimSecretKey, hasSecretKey, secretKeyOfDatabase, WrongSecretKey } from './claim-secret-key.ts';
export { fitsPassword, hashPassword } from './passwords.ts';
export {
  CannotUnseal,
  digestOf,
  hashDevice,
  hashKey,
  hashKeyDigest,
  hashKeySession,
  hashLink,
  hashSession,
  hintOf,
  hintOfDigest,
  newApiKey,
  newPassword,
  newToken,
  seal,
  unseal,
} from './secrets.ts';
