/** For how long the store of the counters may be away before what cannot be counted is refused. */
export class StoreGracePeriod {
  private awaySince: number | undefined;

  constructor(private readonly ms: number) {}

  /** The store answered. */
  worked(): void {
    this.awaySince = undefined;
  }

  /** The store did not answer. False: it has been away for too long. */
  lasts(): boolean {
    this.awaySince ??= performance.now();
    return performance.now() - this.awaySince <= this.ms;
  }
}
