import { mostColumns, type PlaygroundColumn } from '@callsmith/contracts';
import { strategyNames } from '@callsmith/turn';

const strategies: readonly string[] = strategyNames;

/** Columns as they are written in an address: model, strategy and dialect, e.g. `model_1~prompt~hermes,model_2~native`. */
export const columnsText = (columns: readonly PlaygroundColumn[]): string =>
  columns.map(({ model, strategy, dialect }) => [model, strategy, ...(dialect ? [dialect] : [])].join('~')).join(',');

/** Reads `columnsText`; what makes no sense is left out. */
export const columnsIn = (text: string): PlaygroundColumn[] =>
  text
    .split(',')
    .map((one) => one.split('~'))
    .filter(([model, strategy]) => model && strategies.includes(strategy ?? ''))
    .slice(0, mostColumns)
    .map(([model = '', strategy, dialect]) => ({
      model,
      strategy: strategy as PlaygroundColumn['strategy'],
      ...(dialect && { dialect }),
    }));
