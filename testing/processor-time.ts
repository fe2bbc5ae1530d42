/**
 * Returns the processor time that this process uses while `work` is done, ms. It is for tests of work that must not grow with the square of
 * its input. Other programs on the machine make time pass, but no processor time here.
 */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
