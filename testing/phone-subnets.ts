/**
 * The addresses for phones in containers of this test process, as `PHONE_SUBNETS`. They differ from those of other test processes on this
 * machine: two services with the same ones would listen at the same address. No packet of a test leaves the machine.
 */
export const PHONE_SUBNETS = `10.${216 + (process.pid % 8)}.${((process.pid >> 3) % 16) * 16}.0/20`;
