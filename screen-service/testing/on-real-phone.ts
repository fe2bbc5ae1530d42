import { bootPhone, type RealPhone } from './real-phone.js';
import { screenWorld, type ScreenWorld } from './screen-world.js';

/** Boots a simulated phone before the tests of a suite, with the whole service over it, and closes both afterwards. */
export function onRealPhone(): { readonly phone: RealPhone; readonly world: ScreenWorld } {
  const on = {} as { phone: RealPhone; world: ScreenWorld };
  before(async () => {
    on.phone = await bootPhone();
    on.world = screenWorld(on.phone);
  });
  after(async () => {
    await on.world.close();
    await on.phone.close();
  });
  return on;
}
