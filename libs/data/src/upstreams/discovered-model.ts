/** A model in an upstream's list. */
export interface DiscoveredModel {
  /** Its name there. */
  readonly name: string;
  readonly contextLength: number | undefined;
  /** It supports native tool calls; undefined: unknown. */
  readonly tools: boolean | undefined;
}
