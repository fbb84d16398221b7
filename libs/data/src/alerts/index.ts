export { alertUrl } from './address.ts';
export type { AlertMessage } from './alert.ts';
export { Alerts } from './alerts.ts';
export { type BudgetHistory, budgetHistory, callsWithin } from './budget-history.ts';
export { BUDGET_DAYS, type BurnRate, isUsedUp } from './failure-budget.ts';
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
