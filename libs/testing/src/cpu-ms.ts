/**
 * The CPU time of this process, in milliseconds: limits on time are checked against it, since it does not grow when
 * other processes use the machine.
 */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
