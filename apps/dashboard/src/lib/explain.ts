/** What each class of finding means, in one sentence. */
export const classSay: Readonly<Record<string, string>> = {
  InvalidJson: 'The arguments were not JSON.',
  UnknownName: 'The model called a tool that was not on offer.',
  SchemaMismatch: "The arguments did not fit the tool's schema.",
  Truncated: 'The answer ended inside a call.',
  MissingArguments: 'The call came without its arguments.',
  LeakedCall: 'The call came as text instead of as a call.',
  BadFraming: 'The call was framed wrongly: index, id, glued calls or finish reason.',
  EngineRejected: "The model server itself refused its model's call.",
  EmptyTurn: 'Neither text nor a call was left of the answer.',
  CallRequired: 'A call was required and none came.',
  CallForbidden: 'A call came although none was allowed.',
};

/** What was done about a finding, in words. */
export const actionSay: Readonly<Record<string, string>> = {
  repaired: 'mended',
  rescued: 'made a call of text',
  wrapped: 'wrapped as {"input": …}',
  dropped: 'left out',
  released: 'given back as text',
  retreated: 'asked again by prompt',
  mended: 'history mended',
};

/** Where a setting's value comes from, in words. */
export const sourceSay: Readonly<Record<string, string>> = {
  default: 'the built-in value',
  declared: 'set by an admin',
  discovered: 'found at the upstream',
  learned: 'learnt from its answers',
  probed: 'measured by a probe',
};
