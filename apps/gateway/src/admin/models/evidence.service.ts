import { Injectable } from '@nestjs/common';
@Injectable()
export class EvidenceService {
  [name: string]: (...args: unknown[]) => Promise<never>;
}
