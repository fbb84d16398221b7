import type { TurnOutcome } from '@callsmith/turn';

export interface SamplingSettings {
  /** Share of turns that did not fail whose bodies are kept, 0 to 1. */
  readonly cleanShare: number;
  /** At most so many failed turns a minute keep their bodies. */
  readonly failuresPerMinute: number;
}

/** Decides which turns keep their bodies: every one that is not clean up to a cap a minute, and a share of the rest. */
export class Sampling {
  private minute = 0;
  private failures = 0;

  /** `random`: 0 to 1; `now`: milliseconds. */
  constructor(
    private readonly settings: () => SamplingSettings,
    private readonly random: () => number = Math.random,
    private readonly now: () => number = Date.now,
  ) {}

  /** True if the bodies of a turn are to be kept. */
  stores({ outcome, failed, storesBodies }: { outcome: TurnOutcome; failed: boolean; storesBodies: boolean }): boolean {
    if (!storesBodies) return false;
    const { cleanShare, failuresPerMinute } = this.settings();
    if (!failed && outcome !== 'failed' && outcome !== 'repaired') return this.random() < cleanShare;
    const minute = Math.floor(this.now() / 60_000);
    if (minute !== this.minute) {
      this.minute = minute;
      this.failures = 0;
    }
    this.failures += 1;
    return this.failures <= failuresPerMinute;
  }
}
