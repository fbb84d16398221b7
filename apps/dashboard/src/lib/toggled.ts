/** The set without the item if it has it, else with it. */
export const toggled = <Item>(items: ReadonlySet<Item>, item: Item): ReadonlySet<Item> =>
  new Set(items.has(item) ? [...items].filter((one) => one !== item) : [...items, item]);
