import type { TurnOutcome } from '@callsmith/turn';

export interface SamplingSettings {
  /** Share of turns without a failure whose bodies are stored, 0 to 1. */
  readonly cleanShare: number;
  /** Maximum of those per minute. */
  readonly cleanPerMinute: number;
  /** Maximum failed turns per minute whose bodies are stored. */
  readonly failuresPerMinute: number;
}

/**
 * Decides which turns store their bodies: every one that is not clean, and a share of the rest, each up to a cap per
 * minute.
 */
export class Sampling {
  private minute = 0;
  private failures = 0;
  private clean = 0;

  /** `random`: 0 to 1; `now`: milliseconds. */
  constructor(
    private readonly settings: () => SamplingSettings,
    private readonly random: () => number = Math.random,
    private readonly now: () => number = Date.now,
  ) {}

  /** True if the bodies of a turn should be stored. */
  stores({ outcome, failed, storesBodies }: { outcome: TurnOutcome; failed: boolean; storesBodies: boolean }): boolean {
    if (!storesBodies) return false;
    const { cleanShare, cleanPerMinute, failuresPerMinute } = this.settings();
    const minute = Math.floor(this.now() / 60_000);
    if (minute !== this.minute) {
      this.minute = minute;
      this.failures = 0;
      this.clean = 0;
    }
    if (!failed && (outcome === null || outcome === 'clean' || outcome === 'none')) {
      if (this.clean >= cleanPerMinute || this.random() >= cleanShare) return false;
      this.clean += 1;
      return true;
    }
    this.failures += 1;
    return this.failures <= failuresPerMinute;
  }
}
