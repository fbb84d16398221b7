/** The words that screens use, as docs/glossary.md has them, with what they mean there. */
export const words: readonly (readonly [word: string, meaning: string])[] = [
  ['request', 'One exchange of a client with a model: what was asked and the response.'],
  ['clean', 'Every tool call arrived as the model wrote it and satisfies the schema of its tool.'],
  ['repaired', 'A tool call was malformed, and Callsmith made it what the model meant.'],
  ['invalid', 'A tool call was sent on but does not satisfy the schema of its tool.'],
  ['failed', 'A tool call could not be made out: it was dropped, or its text was returned.'],
  ['malformed rate', 'The share of requests with calls that were not clean.'],
  ['class', 'Why a tool call is not clean, such as InvalidJson or Truncated.'],
  [
    'strategy',
    'How tools reach a model: native in the API’s own fields, prompt as text, strict under constrained decoding, auto whichever works.',
  ],
  ['dialect', 'How a family of models writes tool calls as text.'],
  ['repair rule', 'The change that made a malformed tool call usable, such as closing an open bracket.'],
  ['failure group', 'Failures that share model, strategy, class, tool and the form of the arguments.'],
  ['upstream', 'A model server that requests are sent to.'],
  ['gateway overhead', 'The time that Callsmith’s own work adds to a request.'],
  ['trial', 'Failed requests sent again with another strategy, to see how they come out.'],
  ['probe', 'The same small tasks given to a model by each strategy, to see which suits it.'],
  ['experiment', 'A strategy that gets a share of a model’s new conversations for a time.'],
  ['failure budget', 'The share of requests with calls that may fail over 30 days.'],
  ['learned', 'What requests taught about a model on an upstream, with its evidence and an expiry.'],
];
