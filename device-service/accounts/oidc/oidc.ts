import type { Clock } from '../../../kit/async/clock.js';
import { FixedWindows } from '../../../kit/async/fixed-windows.js';
import type { OidcConfig } from './oidc-config.js';
import { Provider } from './provider.js';
import { SignInFailure } from './sign-in-failure.js';

/** Sign-ins are counted in windows of this length, ms. */
const WINDOW_MS = 15 * 60_000;
/** Steps of sign-ins in a window from one address: enough for an office behind one address, two for each sign-in. */
export const MAX_STEPS_FROM_ADDRESS = 600;

/** What sign-in by an identity provider works with. */
export interface Oidc {
  config: OidcConfig;
  provider: Provider;
  /** Counts a step of a sign-in from an address. Throws SignInFailure after many. */
  count: (address: string) => void;
}

/** Opens the sign-in by an identity provider. The provider is asked when someone signs in. */
export function openOidc(config: OidcConfig, outside: { clock: Clock; fetch: typeof fetch }): Oidc {
  const steps = new FixedWindows({ clock: outside.clock, windowMs: WINDOW_MS });
  return {
    config,
    provider: new Provider(config, outside),
    count: (address) => {
      if (steps.count(address).count > MAX_STEPS_FROM_ADDRESS) throw new SignInFailure('rate_limited');
    },
  };
}
