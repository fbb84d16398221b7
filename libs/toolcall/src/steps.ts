/** What work that is done in steps comes to, done at one go. */
export function runSteps<Value>(steps: Generator<undefined, Value>): Value {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
