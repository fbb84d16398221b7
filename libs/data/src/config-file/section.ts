import type { ConfigFile, ConfigSection } from '@callsmith/contracts';
import type { ChangedBy } from '../database/change.ts';
import type { PrismaService } from '../database/prisma.ts';

/** What the sections of a configuration file need to be applied. */
export interface ConfigContext {
  readonly prisma: PrismaService;
  readonly secretKey: string;
  /** The former SECRET_KEY, while it is being changed: keys may still be hashed with it. */
  readonly previousSecretKey?: string | undefined;
  readonly by: ChangedBy;
}

/** The form in which an entry of a file and a row are compared: every field, with defaults filled in. */
export type Fields = Readonly<Record<string, unknown>>;

/** A row that may match an entry. */
export interface ManagedRow {
  readonly id: string;
  readonly name: string;
  readonly managed: boolean;
  /** False: disabled or revoked. */
  readonly active: boolean;
  readonly fields: Fields;
}

/** How the entries of one section are stored as rows. */
export interface Section<Entry> {
  /** Fields whose values are never shown. */
  readonly secrets: readonly string[];
  nameOf(entry: Entry): string;
  /** The existing rows; `entries`: those that may match them. */
  rows(place: ConfigContext, entries: readonly Entry[]): Promise<readonly ManagedRow[]>;
  /** The row of an entry; undefined: there is none yet. */
  rowOf(place: ConfigContext, entry: Entry, rows: readonly ManagedRow[]): ManagedRow | undefined;
  fieldsOf(entry: Entry): Fields;
  /** Changes the row to match the entry, managed by the file. */
  put(place: ConfigContext, entry: Entry, row: ManagedRow | undefined): Promise<void>;
  /** Handles a row whose entry was removed from the file. */
  readonly without: 'disable' | 'release';
  disable(place: ConfigContext, row: ManagedRow): Promise<void>;
  /** Deletes it; false: it is in use, and was released. */
  remove(place: ConfigContext, row: ManagedRow): Promise<void>;
}

export type EntryOf<Name extends ConfigSection> = ConfigFile[Name][number];
