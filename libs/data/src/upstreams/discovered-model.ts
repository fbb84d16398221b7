/** A model as an upstream tells of it. */
export interface DiscoveredModel {
  /** Its name there. */
  readonly name: string;
  readonly contextLength: number | undefined;
  /** It calls tools natively; undefined: not told. */
  readonly tools: boolean | undefined;
}
