import { describe, expect, it, vi } from 'vitest';
import { ResponseStore } from './response-store.ts';

const key = { id: 'key_1' };
const stored = { messages: [], response: { id: 'resp_1' } };
const store = () => {
  const find = vi.fn(async () => stored);
  const remove = vi.fn(async () => true);
  return { find, remove, responses: new ResponseStore({ find, remove, save: async () => {} }) };
};

describe('an id of a stored response', () => {
  it('that is well-formed is looked up', async () => {
    const { find, responses } = store();
    expect(await responses.get('resp_92dc04b3', key)).toBe(stored);
    expect(find).toHaveBeenCalledWith({ id: 'resp_92dc04b3', keyId: 'key_1' });
  });

  // The database takes no U+0000 in a text.
  it.each(['resp_\u0000', 'resp_', 'resp_a b', 'resp_é', `resp_${'a'.repeat(200)}`, 'round_1', ''])(
    'that is malformed (%j) is not found, without a lookup',
    async (id) => {
      const { find, remove, responses } = store();
      const missing = { code: 'response_not_found', status: 404 };
      await expect(responses.get(id, key)).rejects.toMatchObject(missing);
      await expect(responses.remove(id, key)).rejects.toMatchObject(missing);
      expect(await responses.finderFor(key)(id)).toBeUndefined();
      expect([find, remove].flatMap(({ mock }) => mock.calls)).toEqual([]);
    },
  );
});
