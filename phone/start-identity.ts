/** An init that started later was not started by its kernel, ticks. Kernels start it within a second. */
const OWN_KERNEL_TICKS = 1_000;

/**
 * `<serial number>/<boot id>`; of a phone in a container `<serial number>/<boot id>.<start of its init>`, as its boot id is that of the
 * host: the same for all phones there, and over restarts of a container. `initStartTicks`: hundredths of a second since the kernel's start.
 */
export function identityOf(start: { serial: string; bootId: string; initStartTicks: number }): string {
  const { serial, bootId, initStartTicks } = start;
  return `${serial}/${bootId}${initStartTicks > OWN_KERNEL_TICKS ? `.${initStartTicks}` : ''}`;
}
