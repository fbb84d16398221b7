import { type Tool, ToolTable } from '@callsmith/turn';

/** A table in which every name is on offer, without a schema: for parsing text whose tools are unknown. */
export class OpenTools extends ToolTable {
  override get size(): number {
    return 1;
  }

  override get(name: string): Tool | undefined {
    return name === '' ? undefined : { name };
  }
}
