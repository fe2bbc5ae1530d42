/** The latest start of an init that its own kernel started, ticks. Kernels start it within a second; a later one is a container's. */
const OWN_KERNEL_TICKS = 1_000;

/**
 * Returns the identity of one start of a phone: `<serial number>/<boot id>`. A phone in a container has the boot id of the host. That id is
 * the same for all phones there, and after a restart of a container. So its identity ends with `.<start of its init>`.
 * `initStartTicks`: hundredths of a second since the kernel's start.
 */
export function identityOf(start: { serial: string; bootId: string; initStartTicks: number }): string {
  const { serial, bootId, initStartTicks } = start;
  return `${serial}/${bootId}${initStartTicks > OWN_KERNEL_TICKS ? `.${initStartTicks}` : ''}`;
}
