import { dialectNamed, dialects, modelDialects } from '@callsmith/toolcall';
import { Injectable } from '@nestjs/common';

/** The known dialects, each with a sample call, and how a model's id selects one. */
@Injectable()
export class DialectsService {
  list() {
    return {
      items: dialects.map((dialect) => ({ name: dialect.name, sample: dialect.renderCall(sampleCall) })),
      table: modelDialects
        .filter(([, dialect]) => dialectNamed(dialect))
        .map(([pattern, dialect]) => ({ pattern: pattern.source, dialect })),
    };
  }
}

const sampleCall = { id: 'call_1', name: 'read_file', arguments: '{"path": "README.md"}' };
