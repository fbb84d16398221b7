import type { ProbedLesson, SupportFound } from '@callsmith/data/probes';

/** Fields whose omission does not change the meaning of the request. */
const droppable: Readonly<Record<string, string>> = {
  seed: 'seed',
  top_k: 'top_k',
  min_p: 'min_p',
  repetition_penalty: 'repetition_penalty',
  reasoning_effort: 'reasoning_effort',
  chat_template_kwargs: 'chat_template_kwargs',
  logprobs: 'logprobs',
  'parallel_tool_calls: true': 'parallel_tool_calls',
  'stream_options: include_usage': 'stream_options',
};

/** Forms of `tool_choice`, and what is sent if one is ignored or refused. */
const choices: Readonly<Record<string, { readonly unheeded: string; readonly refused: string }>> = {
  'tool_choice: required': { unheeded: 'said-choice', refused: 'no-tool-choice' },
  'tool_choice: a named tool': { unheeded: 'named-tool', refused: 'named-tool' },
  'tool_choice: none': { unheeded: 'no-tools', refused: 'no-tools' },
};

/**
 * The lessons from a probe's responses about a server, in the same form as from requests, so that later requests follow
 * them. As with requests (D-37) a field counts as refused only by a response that names it, and if the server answers
 * without it; a constraint counts by its effect.
 */
export function supportLessons(found: readonly SupportFound[]): ProbedLesson[] {
  const works = (what: string) => found.some((one) => one.what === what && one.support === 'works');
  return found.flatMap((finding): ProbedLesson[] => {
    const { what, support } = finding;
    const lesson = (name: string, value: boolean) => [{ what: name, value, reason: reasonOf(finding) }];
    const field = droppable[what];
    if (field !== undefined)
      return works('usage') && isRefusalOf(finding, field) ? lesson(`parameter:${field}`, false) : [];
    const choice = choices[what];
    if (choice !== undefined && works('tools')) {
      if (support === 'no effect') return lesson(`retreat:${choice.unheeded}`, true);
      return isRefused(finding) ? lesson(`retreat:${choice.refused}`, true) : [];
    }
    const constraint = what === 'strict tools' ? 'strict' : /^constraint: (.+)$/.exec(what)?.[1];
    if (constraint === undefined) return [];
    if (support === 'works') return lesson(`constraint:${constraint}`, true);
    return isRefused(finding) && works('usage') ? lesson(`constraint:${constraint}`, false) : [];
  });
}

/** The request itself was refused; nothing else proves anything. */
const isRefused = ({ support, detail }: SupportFound): boolean =>
  support === 'refused' && /^HTTP (?:400|404|422):/.test(detail);

/** The field is refused entirely; an error about its value proves nothing. */
const isRefusalOf = (found: SupportFound, field: string): boolean =>
  isRefused(found) &&
  found.detail.includes(field) &&
  /\b(?:un(?:supported|known|recognized|expected)|extra|(?:not|n't)(?: currently)? (?:supported?|allowed|permitted|recognized))\b/i.test(
    found.detail,
  );

const reasonOf = ({ what, support, detail }: SupportFound): string =>
  support === 'refused' ? `Probe: ${what} was refused (${detail}).` : `Probe: ${what}: ${support}.`;
