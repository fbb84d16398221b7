import type { Lesson } from '@callsmith/contracts';

const parameter = 'parameter:';

/** What was learned of an upstream, as the rest of a sentence that begins with its name. */
export function sayLesson({ what, value }: Pick<Lesson, 'what' | 'value'>): string {
  if (what.startsWith(parameter)) return `rejects the parameter ${what.slice(parameter.length)}`;
  switch (what) {
    case 'native-tools':
      return value === 'true' ? 'supports native tool calls' : 'does not support native tool calls';
    case 'reasoning-prefilled':
      return 'opens the reasoning block in the prompt';
    case 'marked-calls':
      return 'marks its tool calls, so unmarked ones count only before any other text';
    default:
      return `${what}: ${value}`;
  }
}
