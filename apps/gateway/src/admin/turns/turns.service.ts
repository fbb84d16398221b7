import { Injectable } from '@nestjs/common';
@Injectable()
export class TurnsService {
  [name: string]: (...args: unknown[]) => Promise<never>;
}
