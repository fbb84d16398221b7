import { dialects } from '@callsmith/toolcall';
import { Injectable } from '@nestjs/common';

/** The dialects that models speak, each with a sample of a call. */
@Injectable()
export class DialectsService {
  list() {
    return {
      items: dialects.map((dialect) => ({ name: dialect.name, sample: dialect.write(sampleCall) })),
      table: [],
    };
  }
}

const sampleCall = { id: 'call_1', name: 'read_file', arguments: '{"path": "README.md"}' };
