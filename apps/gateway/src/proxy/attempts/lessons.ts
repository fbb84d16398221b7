import type { ConfigSnapshot, Lesson, ModelEntry, Route } from '@callsmith/data/snapshot';
import type { Finding } from '@callsmith/turn';
import type { AttemptFailure } from '../upstream/attempt-failure.ts';
import type { CompletionJob } from '../upstream/completion-job.ts';
import type { PreparedRequest } from '../upstream/prepare-request.ts';
import { ignoredChoice, ignoresChoice } from './ignored-choice.ts';
import { MarkedCallCounter } from './marked-call-counter.ts';
import type { NextAttempt } from './next-attempt.ts';
import { PromptCutDetector } from './prompt-cut-detector.ts';
import { nextForm } from './retreat.ts';

/** Stores lessons. */
export type LessonStore = Pick<ConfigSnapshot, 'learn'>;

/** Learns from requests what a model on an upstream supports, for later requests (D-37). */
export class Lessons {
  private readonly markedCallCounter = new MarkedCallCounter();
  private readonly promptCutDetector = new PromptCutDetector();

  constructor(private readonly store: LessonStore) {}

  /** Learns the lessons of earlier attempts: this one gave output, which confirms why those failed. */
  learnPending(model: ModelEntry, { pendingLessons }: NextAttempt): void {
    for (const { route, lesson } of pendingLessons) this.learn(model, route, lesson);
  }

  /**
   * Learns that the engine accepted a constraint and ignored it. `violation`: how a response showed that; undefined: it
   * did not.
   */
  learnIgnoredConstraint(
    model: ModelEntry,
    route: Route,
    { constrained }: PreparedRequest,
    violation: string | undefined,
  ): void {
    if (constrained && violation !== undefined)
      this.learn(model, route, { what: `constraint:${constrained.field}`, value: false, reason: violation });
  }

  /**
   * Learns that the engine ignored `tool_choice`, when part of the response was sent: too late for a retry, but not for
   * later requests.
   */
  learnIgnoredChoice(job: CompletionJob, last: NextAttempt, failure: AttemptFailure): void {
    const { model, turn } = job;
    const { sent } = failure;
    if (sent === undefined || !ignoresChoice(job, last, failure)) return;
    const lesson = nextForm('choice-unheeded', last, { model, turn, sent })?.lesson;
    if (lesson) this.learn(model, last.route, { ...lesson, reason: ignoredChoice });
  }

  /** Learns that a model makes native calls or uses its dialect's markers, after it did so several times. */
  learnMarkedCalls({ model, log: { route }, response: { summary } }: CompletionJob): void {
    if (route && this.markedCallCounter.add(model, route, summary))
      this.learn(model, route, {
        what: 'marked-calls',
        value: true,
        reason: 'Three of its calls came natively or between markers.',
      });
  }

  /**
   * Learns from a good response whether the chat template opens the reasoning block, and whether `tool_choice` `none`
   * was ignored.
   */
  learnFromAnswer({ model, turn, log: { route }, response: { summary } }: CompletionJob): void {
    if (route === undefined) return;
    if (model.reasoningPrefilled === undefined && summary.notes.some(({ detail }) => detail === 'lone-reasoning-close'))
      this.learn(model, route, {
        what: 'reasoning-prefilled',
        value: true,
        reason: 'A closing tag came without its opening one.',
      });
    if (turn.toolChoice === 'none' && summary.notes.some(isForbiddenCall))
      this.learn(model, route, {
        what: 'retreat:no-tools',
        value: true,
        reason: 'The response ignored tool_choice "none".',
      });
  }

  /** Learns whether the server truncates prompts, which only its token counts show. */
  async learnCutPrompt(
    { model, log: { route }, response }: CompletionJob,
    { turn, json }: PreparedRequest,
  ): Promise<void> {
    const { usage } = response.summary;
    if (route === undefined || usage === undefined) return;
    const lesson = await this.promptCutDetector.observe(model, route, { turn, json, usage });
    if (lesson === undefined) return;
    this.learn(model, route, lesson);
    if (lesson.value)
      response.note({ stage: 'upstream', detail: `the prompt seems to have been cut: ${lesson.reason}` });
  }

  private learn(
    { id: modelId }: ModelEntry,
    { upstream: { id: upstreamId, engineVersion } }: Route,
    lesson: Pick<Lesson, 'what' | 'value' | 'reason'>,
  ): void {
    this.store.learn({ modelId, upstreamId, engineVersion, ...lesson });
  }
}

/** A call that a `tool_choice` of `none` did not allow. */
const isForbiddenCall = ({ class: found }: Finding): boolean => found === 'CallForbidden';
