import type { Message, Turn } from '@callsmith/turn';

/**
 * A turn whose past call ids have the form that the dialect's template or text requires. They are computed from the
 * conversation, never stored, so the same history always has the same ids; the gateway generates the ids of answers,
 * so nothing has to be mapped back.
 */
export function withDialectIds(turn: Turn, dialect: string): Turn {
  const form = idForms[dialect];
  if (!form) return turn;
  const ids = new Map<string, string>();
  let ordinal = 0;
  const messages = turn.messages.map((message): Message => {
    if (message.role === 'tool') return { ...message, callId: ids.get(message.callId) ?? message.callId };
    if (message.role !== 'assistant' || message.calls.length === 0) return message;
    const calls = message.calls.map((call) => {
      const id = form(call.id, call.name, ordinal);
      ordinal += 1;
      ids.set(call.id, id);
      return { ...call, id };
    });
    return { ...message, calls };
  });
  return { ...turn, messages };
}

type IdForm = (id: string, name: string, ordinal: number) => string;

/** Mistral's templates accept nine letters or digits and raise an error otherwise. */
const nineCharacters: IdForm = (id, _name, ordinal) =>
  /^[a-zA-Z0-9]{9}$/.test(id) ? id : base36(hash(`${ordinal} ${id}`));

/** Kimi's template shows ids to the model: the tool's name and the call's number in the conversation. */
const nameAndCount: IdForm = (_id, name, ordinal) => `functions.${name}:${ordinal}`;

/** Cohere numbers the calls of the conversation. */
const count: IdForm = (_id, _name, ordinal) => String(ordinal);

const idForms: Readonly<Record<string, IdForm | undefined>> = {
  'mistral-array': nineCharacters,
  'mistral-v11': nineCharacters,
  'mistral-callid': nineCharacters,
  'kimi-k2': nameAndCount,
  'cohere-r7b-a': count,
};

/** FNV-1a over UTF-16 units, twice: nine characters of base 36 need 47 bits, more than one hash has. */
function hash(text: string): bigint {
  let low = 0x811c9dc5;
  let high = 0x9747b28c;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit, 0x85ebca6b);
  }
  return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
}

const base36 = (value: bigint): string => (value % 36n ** 9n).toString(36).padStart(9, '0');
