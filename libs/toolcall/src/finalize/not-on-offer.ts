import type { ToolTable } from '@callsmith/turn';

const mostNames = 50;

/** The text for the client if a model called a tool that is not on offer and wrote nothing else. */
export function notOnOffer(name: string, tools: ToolTable): string {
  const names = tools.list.slice(0, mostNames).map((tool) => tool.name);
  const more = tools.list.length - names.length;
  const rest = more > 0 ? ` and ${more} more` : '';
  return `The model called "${name}", which is not on offer. Tools on offer: ${names.join(', ')}${rest}.`;
}
