import { expect, test } from 'vitest';
import { foreignKeys } from './foreign-keys.ts';

const digest = 'AB'.repeat(32);

test('a line is a key or its SHA-256, followed by its owner', () => {
  expect(foreignKeys(` sk-one\tAnn B. \n\n${digest}, Ben\nsk-three;Cem\r\nsk-four\n`, 'Team')).toEqual([
    { holder: 'Ann B.', secret: 'sk-one' },
    { holder: 'Ben', sha256: digest },
    { holder: 'Cem', secret: 'sk-three' },
    { holder: 'Team', secret: 'sk-four' },
  ]);
});
