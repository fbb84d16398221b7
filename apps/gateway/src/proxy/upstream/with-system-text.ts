import type { Turn } from '@callsmith/turn';

/** Appends `text` to a turn's leading system message, or adds such a message. */
export function withSystemText(turn: Turn, text: string): Turn {
  const [first, ...rest] = turn.messages;
  const lead = first?.role === 'system' && typeof first.content === 'string' ? first : undefined;
  return lead === undefined
    ? { ...turn, messages: [{ role: 'system', content: text }, ...turn.messages] }
    : { ...turn, messages: [{ ...lead, content: `${lead.content}\n\n${text}` }, ...rest] };
}
