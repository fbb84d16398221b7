import type { Lesson } from '@callsmith/contracts';

const parameter = 'parameter:';
const retreat = 'retreat:';
const constraint = 'constraint:';

/** What was learned of an upstream, as the rest of a sentence that begins with its name. */
export function lessonText({ what, value }: Pick<Lesson, 'what' | 'value'>): string {
  if (what.startsWith(parameter)) return `rejects the parameter ${what.slice(parameter.length)}`;
  if (what.startsWith(constraint))
    return `${value === 'true' ? 'enforces' : 'does not enforce'} the constraint ${what.slice(constraint.length)}`;
  switch (what) {
    case 'native-tools':
      return value === 'true' ? 'supports native tool calls' : 'does not support native tool calls';
    case 'example-calls':
      return 'does better with example calls in its prompt';
    case 'reasoning-prefilled':
      return 'opens the reasoning block in the prompt';
    case 'marked-calls':
      return 'marks its tool calls, so unmarked ones count only before any other text';
    case 'cuts-prompts':
      return value === 'true'
        ? 'cuts long prompts without saying so: give the model a longer context there'
        : 'reads long prompts whole';
    case 'api':
      return `is asked by ${apis[value] ?? value}`;
    case 'strategy':
      return `is asked by ${value.replace(':', ' with ')}, which auto chose`;
    case 'strategy-doubt':
      return 'fails too many calls, and auto has moved too often to move again today';
    default:
      return what.startsWith(retreat) ? retreatText(what.slice(retreat.length)) : `${what}: ${value}`;
  }
}

const apis: Readonly<Record<string, string>> = {
  chat: 'chat completions',
  responses: 'responses',
  ollama: "Ollama's own API",
};

/** The name of a form, for some tools behind a colon. */
function retreatText(name: string): string {
  const [form = '', tools] = name.split(':');
  const words = retreats[form] ?? `is sent requests in another form (${form})`;
  return tools === undefined ? words : `${words}, with the tools of that request`;
}

const retreats: Readonly<Record<string, string>> = {
  prompt: 'does not support native tool calls',
  'named-tool': 'is sent tool_choice "required" and one tool instead of a named choice',
  'no-tool-choice': 'is sent no tool_choice; the system message asks for the call',
  'no-tools': 'is sent no tools where tool_choice is "none"',
  'said-choice': 'is asked for the call in the system message as well',
  'simple-schemas': 'is sent simplified schemas',
  unconstrained: 'is sent requests without constrained decoding',
  'valid-history': 'is sent one past call per message',
  'inline-as-user': 'is sent later system messages as user text',
  'one-system': 'is sent one system message',
  'plain-roles': 'is sent the system text in the first user message',
};
