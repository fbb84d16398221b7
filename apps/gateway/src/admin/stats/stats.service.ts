import { Injectable } from '@nestjs/common';
@Injectable()
export class StatsService {
  [name: string]: (...args: unknown[]) => Promise<never>;
}
