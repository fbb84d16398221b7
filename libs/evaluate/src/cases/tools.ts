import type { JsonObject } from '@callsmith/turn';

/** The tools that most cases offer. */
export const sevenTools: readonly JsonObject[] = [
  tool('weather', 'The weather in a city.', {
    city: text('The city.'),
    unit: { type: 'string', enum: ['celsius', 'fahrenheit'], description: 'The unit of the temperature.' },
  }),
  tool('now', 'The current date and time.', {}),
  tool('read', 'Reads a file.', { path: text('The path of the file.') }),
  tool('write', 'Writes a file.', {
    path: text('The path of the file.'),
    content: text('All that the file is to hold.'),
  }),
  tool(
    'search',
    'Searches the project.',
    {
      query: text('What to look for.'),
      limit: { type: 'integer', description: 'The most hits; all if left out.' },
      regex: { type: 'boolean', description: 'Whether the query is a regular expression; false if left out.' },
      folder: { type: ['string', 'null'], description: 'Where to look; null for everywhere.' },
    },
    ['query'],
  ),
  tool(
    'order',
    'Places an order.',
    {
      customer: object({ name: text('Full name.'), address: object({ zip: text('Postal code.') }) }),
      items: {
        type: 'array',
        items: object({
          sku: text('The article.'),
          qty: { type: 'integer', description: 'How many.' },
          price: { type: 'number', description: 'The price of one.' },
        }),
      },
      note: { type: ['string', 'null'], description: 'For the courier.' },
    },
    ['customer', 'items'],
  ),
  tool('run', 'Runs a command in the shell.', { command: text('The command line.') }),
];

/** Five tools that are easily confused. */
export const lookAlikeTools: readonly JsonObject[] = ['files', 'symbols', 'issues', 'commits', 'docs'].map((what) =>
  tool(`search_${what}`, `Searches the ${what} of the project.`, { query: text('What to look for.') }),
);

/** Twenty-three more tools, so that with the seven there are thirty. */
export const furtherTools: readonly JsonObject[] = [
  'tide',
  'translate',
  'stock_quote',
  'currency_rate',
  'calendar_events',
  'contacts',
  'reminder',
  'timezone',
  'route_plan',
  'flight_status',
  'train_status',
  'parcel_status',
  'invoice',
  'dictionary',
  'thesaurus',
  'recipe',
  'horoscope',
  'sunrise',
  'air_quality',
  'pollen_count',
  'earthquakes',
  'lottery',
  'holidays',
].map((name) =>
  tool(name, `Looks up: ${name.replaceAll('_', ' ')}.`, {
    subject: text('What it is about, e.g. a place, a name or a number.'),
  }),
);

function text(description: string): JsonObject {
  return { type: 'string', description };
}

function object(properties: JsonObject, required = Object.keys(properties)): JsonObject {
  return { type: 'object', properties, required, additionalProperties: false };
}

function tool(name: string, description: string, properties: JsonObject, required?: string[]): JsonObject {
  return { type: 'function', function: { name, description, parameters: object(properties, required) } };
}
