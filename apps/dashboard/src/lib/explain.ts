/** What each class of finding means, in one sentence. */
export const classTexts: Readonly<Record<string, string>> = {
  InvalidJson: 'The arguments were not valid JSON.',
  UnknownName: 'The model called a tool that was not offered.',
  SchemaMismatch: "The arguments did not match the tool's schema.",
  Truncated: 'The response ended inside a call.',
  MissingArguments: 'The call had no arguments.',
  LeakedCall: 'The call came as text instead of a native tool call.',
  BadFraming: 'The call was framed incorrectly: index, ID, run-together calls or finish reason.',
  EngineRejected: "The model server rejected its own model's call.",
  EmptyAnswer: 'The response had neither text nor a call.',
  AnnouncedNotCalled: 'The response announced a call and made none.',
  CallInReasoning: 'The only call stood in reasoning, where calls are not run.',
  CallRequired: 'A call was required, but the model made none.',
  CallForbidden: 'The model made a call although none was allowed.',
  CallLoop: 'The conversation goes in circles: the same calls, or none, again and again.',
};

/** What was done about a finding, in words. */
export const actionTexts: Readonly<Record<string, string>> = {
  repaired: 'repaired',
  rescued: 'extracted from text',
  wrapped: 'wrapped as {"input": …}',
  dropped: 'dropped',
  released: 'returned as text',
  retreated: 'retried in another form',
  corrected: 'asked for again',
  mended: 'history fixed',
};

/** Where a setting's value comes from, in words. */
export const sourceTexts: Readonly<Record<string, string>> = {
  default: 'default',
  declared: 'set by an admin',
  discovered: 'detected',
  learned: 'learned from responses',
  probed: 'measured by a probe',
};
