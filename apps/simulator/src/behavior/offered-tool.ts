import type { JsonObject } from '@callsmith/turn';

/** A tool that the model may call. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonObject;
}
