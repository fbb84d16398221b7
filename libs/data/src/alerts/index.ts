export type { AlertMessage } from './alert.ts';
export { Alerts } from './alerts.ts';
export {
  findDelivery,
  findWebhook,
  insertWebhook,
  listWebhooks,
  newWebhookSecret,
  openWebhook,
  removeWebhook,
  sealedWebhook,
  updateWebhook,
  type WebhookDetail,
  webhookIsNamed,
} from './webhooks.ts';
