import { columnNamed, type RecordedValues, storedColumns } from '@callsmith/contracts';

type Nullable = {
  [Name in keyof RecordedValues]: null extends RecordedValues[Name] ? Name : never;
}[keyof RecordedValues];

/** Null for each recorded value of a request that may be null, for a test to put its own values over. */
export const nothingRecorded = Object.fromEntries(
  storedColumns.filter((name) => columnNamed(name).type.safeParse(null).success).map((name) => [name, null]),
) as { readonly [Name in Nullable]: null };
