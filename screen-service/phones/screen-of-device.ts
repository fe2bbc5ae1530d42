import type { Screen } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import type { LocatedPhone } from '../link/reached-phone.js';

/** Assumed where a screen's density is not known, dots per inch. */
const USUAL_DENSITY = 320;

/** Returns the screen of a phone, from the device service's message. */
export function screenOf(screen: Screen | undefined): LocatedPhone['screen'] {
  const { width = 0, height = 0, density = 0 } = screen ?? {};
  return { width, height, density: density > 0 ? density : USUAL_DENSITY };
}
