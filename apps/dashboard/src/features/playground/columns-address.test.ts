import { expect, it } from 'vitest';
import { columnsIn, columnsText } from './columns-address.ts';

it('columns come back from their address', () => {
  const columns = [
    { model: 'model_1', strategy: 'prompt', dialect: 'hermes' },
    { model: 'model_2', strategy: 'native' },
    { model: 'model_3', strategy: 'auto' },
  ] as const;
  expect(columnsText(columns)).toBe('model_1~prompt~hermes,model_2~native,model_3~auto');
  expect(columnsIn(columnsText(columns))).toEqual(columns);
});

it('what makes no sense is left out, and so is what comes behind four', () => {
  expect(columnsIn('')).toEqual([]);
  expect(columnsIn('a,~native,b~often,c~strict~,d')).toEqual([{ model: 'c', strategy: 'strict' }]);
  expect(columnsIn(Array(6).fill('a~native').join(','))).toHaveLength(4);
});
