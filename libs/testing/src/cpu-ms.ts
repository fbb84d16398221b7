/**
 * The processor time that this process has taken, in milliseconds: what a bound on time is held against, since it does
 * not grow when other processes keep the machine busy.
 */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
