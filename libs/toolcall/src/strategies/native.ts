import type { Turn } from '@callsmith/turn';
import { withDialectIds } from './dialect-ids.ts';

/** A turn for a model whose server makes the calls: as it is, but for past ids that the model's template would refuse. */
export const prepareNative = (turn: Turn, dialect: string): Turn => withDialectIds(turn, dialect);
