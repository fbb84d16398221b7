/** Runs a generator of steps to its end and returns its value. */
export function runSteps<Value>(steps: Generator<undefined, Value>): Value {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
