export { MOST_OWN_SECRETS, OWN_SECRETS_NAME, type OwnSecret, ownSecretsOf } from './own-secrets.ts';
export { BUILT_IN_SECRETS, redact, redactWith } from './redact.ts';
