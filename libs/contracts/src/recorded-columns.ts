import { z } from 'zod';
import { findingClass, instant, turnOutcome } from './vocabulary.ts';

/**
 * A value recorded for each request. Its storage, field in the API, filter, facet and place in files are derived from
 * this entry.
 */
export interface RecordedColumn {
  /** The field in the API; its column in the database has the same name in snake case. */
  readonly type: z.ZodType;
  /** Stored, but not returned by the API. */
  readonly internal?: true;
  /** Not stored: the name for an ID, looked up when requests are listed. */
  readonly lookedUp?: true;
  /** 64 bits wide in the database. */
  readonly wide?: true;
  /** Text from outside: secrets in it are masked, and it is cut to this many UTF-16 units. */
  readonly longest?: number;
  /** Its position among the columns of a CSV file; without it the file has none. New ones go at the end. */
  readonly csv?: number;
  /** The query parameter that filters requests by one value of this column. */
  readonly filter?: { readonly name: string; readonly type: z.ZodType<string> };
  /** Requests are counted by its values; `place` is the facet's position among the others. */
  readonly facet?: { readonly name: string; readonly label: string; readonly place: number };
}

/** The values recorded of each request, in the order of the API's fields. */
export const recordedColumns = {
  /** UUIDv7, its time is the partition key; in the API `turn_` + hex. */
  id: { type: z.string(), csv: 1 },
  at: { type: instant, csv: 2 },
  requestId: { type: z.string(), longest: 200, csv: 29, filter: { name: 'requestId', type: z.string().max(200) } },
  /** The route's pattern, e.g. `/v1/chat/completions`. */
  route: { type: z.string(), csv: 14 },
  teamId: {
    type: z.string().nullable(),
    filter: { name: 'teamId', type: z.string() },
    facet: { name: 'team', label: 'Team', place: 7 },
  },
  team: { type: z.string().nullable(), lookedUp: true, csv: 10 },
  keyId: {
    type: z.string().nullable(),
    filter: { name: 'keyId', type: z.string() },
    facet: { name: 'key', label: 'Key', place: 6 },
  },
  /** The key's owner. */
  key: { type: z.string().nullable(), lookedUp: true, csv: 11 },
  modelId: { type: z.string().nullable() },
  /** The name the client asked for. */
  model: { type: z.string(), longest: 200, csv: 3, facet: { name: 'model', label: 'Model', place: 3 } },
  /** The fallback model that answered; null: the requested one did. */
  fallbackModel: { type: z.string().nullable(), longest: 200, csv: 31 },
  upstreamId: { type: z.string().nullable(), internal: true },
  upstream: { type: z.string().nullable(), lookedUp: true, csv: 12 },
  engineVersion: {
    type: z.string().nullable(),
    csv: 13,
    filter: { name: 'engine', type: z.string().max(200) },
    facet: { name: 'engine', label: 'Engine version', place: 13 },
  },
  strategy: { type: z.string().nullable(), csv: 6 },
  strategyUsed: {
    type: z.string().nullable(),
    csv: 7,
    filter: { name: 'strategy', type: z.string().max(20) },
    facet: { name: 'strategy', label: 'Strategy used', place: 4 },
  },
  /** The first one that was tried: if another one answered, it failed. Null: unknown. */
  strategyFirst: { type: z.string().nullable(), internal: true },
  dialect: { type: z.string().nullable(), csv: 8 },
  productVersion: { type: z.string(), internal: true },
  /** From a closed table of clients, else `other`. */
  client: {
    type: z.string(),
    csv: 9,
    filter: { name: 'client', type: z.string().max(100) },
    facet: { name: 'client', label: 'Client', place: 5 },
  },
  /** The same for all requests of one conversation; contains no text of it. */
  conversation: { type: z.string().nullable(), filter: { name: 'conversation', type: z.string().max(200) } },
  streamed: {
    type: z.boolean(),
    csv: 15,
    filter: { name: 'streamed', type: z.enum(['true', 'false']) },
    facet: { name: 'streamed', label: 'Streamed', place: 14 },
  },
  outcome: { type: turnOutcome.nullable(), csv: 4, facet: { name: 'outcome', label: 'Outcome', place: 1 } },
  classes: { type: z.array(findingClass), csv: 5, facet: { name: 'class', label: 'Class', place: 2 } },
  /** The response is a corrected one. Null: recorded before corrections existed. */
  corrected: {
    type: z.boolean().nullable(),
    csv: 32,
    filter: { name: 'corrected', type: z.enum(['true', 'false']) },
    facet: { name: 'corrected', label: 'Corrected', place: 12 },
  },
  toolsOffered: { type: z.number().int(), csv: 16 },
  calls: { type: z.number().int(), csv: 17 },
  injectedTokens: { type: z.number().nullable(), internal: true },
  inputTokens: { type: z.number().nullable(), wide: true, csv: 18 },
  outputTokens: { type: z.number().nullable(), wide: true, csv: 19 },
  cachedTokens: { type: z.number().nullable(), wide: true, csv: 36 },
  /** The cost, in millionths of the currency, at its model's price of that moment; null: the model had none. */
  spend: { type: z.number().nullable(), wide: true, csv: 30 },
  tokenSource: { type: z.string().nullable(), csv: 20 },
  /** Of the tokens above, those of attempts that were not delivered. */
  correctionTokens: { type: z.number().nullable(), wide: true, csv: 33 },
  /** Number of model requests in agent mode; null: no agent mode. */
  agentRounds: { type: z.number().int().nullable(), csv: 34 },
  /** The limit that ended agent mode; null: none. */
  agentLimit: { type: z.string().nullable(), csv: 35 },
  /** The gateway's overhead in microseconds. */
  addedUs: { type: z.number().nullable(), csv: 21 },
  firstTokenMs: { type: z.number().nullable(), csv: 22 },
  totalMs: { type: z.number(), csv: 23 },
  attempts: { type: z.number().int(), csv: 24 },
  status: {
    type: z.number().int(),
    csv: 25,
    filter: { name: 'status', type: z.string().max(3) },
    facet: { name: 'status', label: 'HTTP status', place: 8 },
  },
  errorOrigin: { type: z.string().nullable(), csv: 26 },
  errorCode: {
    type: z.string().nullable(),
    csv: 27,
    filter: { name: 'errorCode', type: z.string().max(100) },
    facet: { name: 'code', label: 'Error code', place: 9 },
  },
  errorMessage: { type: z.string().nullable(), longest: 2000, csv: 28 },
  /** Message content was stored. */
  stored: { type: z.boolean() },
} as const satisfies Record<string, RecordedColumn>;

type Columns = typeof recordedColumns;
type ColumnName = keyof Columns;
type ColumnsWith<Member extends keyof RecordedColumn> = {
  [Name in ColumnName]: Columns[Name] extends { readonly [_ in Member]: unknown } ? Name : never;
}[ColumnName];

/** A column of the table `turn`. */
export type StoredColumnName = Exclude<ColumnName, ColumnsWith<'lookedUp'>>;
/** A field of a request in the API. */
export type ListedColumnName = Exclude<ColumnName, ColumnsWith<'internal'>>;
/** A column by whose values requests can be filtered. */
export type FilteredColumnName = ColumnsWith<'filter'>;

/** The query parameter of such a column. */
export type ColumnFilterName = Columns[FilteredColumnName]['filter']['name'];

// Values of a request's calls, which each have their own.
const callFacets = [
  { name: 'tool', label: 'Tool', place: 10 },
  { name: 'rule', label: 'Repair rule', place: 11 },
] as const;

/** The facets that count values of calls. */
export type CallFacetName = (typeof callFacets)[number]['name'];
/** The facets of requests. */
export type FacetName = Columns[ColumnsWith<'facet'>]['facet']['name'] | CallFacetName;
/** Of those, the ones that count the values of a filterable column. */
export type ColumnFacetName = Columns[ColumnsWith<'facet'> & FilteredColumnName]['facet']['name'];

/** The values that are stored of a request. */
export type RecordedValues = { readonly [Name in StoredColumnName]: z.infer<Columns[Name]['type']> };

const columnNames = Object.keys(recordedColumns) as ColumnName[];

/** The entry of a column, by any name of one. */
export const columnNamed = (name: ColumnName): RecordedColumn => recordedColumns[name];

export const storedColumns = columnNames.filter((name) => !columnNamed(name).lookedUp) as StoredColumnName[];
export const listedColumns = columnNames.filter((name) => !columnNamed(name).internal) as ListedColumnName[];

/** The filterable columns: the query parameter of each, and the facet that counts its values. */
export const filteredColumns = columnNames.flatMap((name) => {
  const { filter, facet } = columnNamed(name);
  if (filter === undefined) return [];
  return {
    name: name as FilteredColumnName,
    parameter: filter.name as ColumnFilterName,
    facet: facet?.name as ColumnFacetName | undefined,
  };
});

/** The columns of a CSV file, in their order. */
export const csvColumns: readonly ListedColumnName[] = listedColumns
  .flatMap((name) => {
    const place = columnNamed(name).csv;
    return place === undefined ? [] : { name, place };
  })
  .sort((a, b) => a.place - b.place)
  .map(({ name }) => name);

const facets = [...columnNames.flatMap((name) => columnNamed(name).facet ?? []), ...callFacets].sort(
  (a, b) => a.place - b.place,
);

/** The facets, in display order. */
export const facetName = z.enum(facets.map(({ name }) => name) as [FacetName, ...FacetName[]]);

/** The labels of the facets. */
export const facetLabels = Object.fromEntries(facets.map(({ name, label }) => [name, label])) as Readonly<
  Record<FacetName, string>
>;

/** Fields of a request in the API. */
export const columnFields = Object.fromEntries(listedColumns.map((name) => [name, columnNamed(name).type])) as {
  [Name in ListedColumnName]: Columns[Name]['type'];
};

/** Query parameters that filter requests by one value of a column. */
export const columnFilters = Object.fromEntries(
  columnNames.flatMap((name) => {
    const { filter } = columnNamed(name);
    return filter ? [[filter.name, filter.type.optional()]] : [];
  }),
) as {
  [Name in FilteredColumnName as Columns[Name]['filter']['name']]: z.ZodOptional<Columns[Name]['filter']['type']>;
};
