import { type Tool, ToolTable } from '@callsmith/turn';

/** A table in which every name is on offer, with no schema: for reading text of which the tools are not known. */
export class OpenTools extends ToolTable {
  override get size(): number {
    return 1;
  }

  override get(name: string): Tool | undefined {
    return name === '' ? undefined : { name };
  }
}
