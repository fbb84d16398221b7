/** The time that the counter store may be unreachable before uncounted requests are refused. */
export class StoreGracePeriod {
  private awaySince: number | undefined;

  constructor(private readonly ms: number) {}

  /** The store responded. */
  worked(): void {
    this.awaySince = undefined;
  }

  /** The store did not respond. False: it has been unreachable for too long. */
  lasts(): boolean {
    this.awaySince ??= performance.now();
    return performance.now() - this.awaySince <= this.ms;
  }
}
