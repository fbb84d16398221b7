import { api } from '@callsmith/contracts';
import { Controller } from '@nestjs/common';
import { type AdminRequest, Serve } from '../contract.ts';
import { SharedBudgetsService } from './shared-budgets.service.ts';

@Controller()
export class BudgetsController {
  constructor(private readonly budgets: SharedBudgetsService) {}

  @Serve(api.budgets.list)
  list({ caller }: AdminRequest<typeof api.budgets.list>) {
    return this.budgets.list(caller);
  }

  @Serve(api.budgets.put)
  put({ body, caller }: AdminRequest<typeof api.budgets.put>) {
    return this.budgets.put(body, caller);
  }
}
