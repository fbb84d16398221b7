import type { Turn } from '@callsmith/turn';
import { withDialectIds } from './dialect-ids.ts';

/** A turn for a model whose server parses the calls: unchanged except for past ids that its template would refuse. */
export const prepareNative = (turn: Turn, dialect: string): Turn => withDialectIds(turn, dialect);
