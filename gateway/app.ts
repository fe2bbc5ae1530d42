import type Router from '@koa/router';
import Koa from 'koa';
import type { Registry } from 'prom-client';
import type { OwnTrust } from '../kit/https/server-certificate.js';
import type { AllowedHosts } from '../kit/allowed-hosts.js';
import type { Clock } from '../kit/clock.js';
import type { Log } from '../kit/log.js';
import type { Authenticate } from '../kit/rpc/caller.js';
import type { State } from './context.js';
import { openEventStream } from './events/open-event-stream.js';
import type { EdgeLimits } from './limits.js';
import { authenticateCaller } from './middleware/authenticate.js';
import { beginCall } from './middleware/begin-call.js';
import { callRpc } from './middleware/call-rpc.js';
import { checkHost } from './middleware/check-host.js';
import { checkScope } from './middleware/check-scope.js';
import { checkTarget } from './middleware/check-target.js';
import { limitRates, limitStrangers } from './middleware/limit-rates.js';
import { limitUnderWay } from './middleware/limit-under-way.js';
import { logRequests } from './middleware/log-requests.js';
import { refuseUnmatched } from './middleware/refuse-unmatched.js';
import { renderErrors } from './middleware/render-errors.js';
import type { Rates } from './rates/rate-windows.js';
import { createPanel } from './http/serve-panel.js';
import type { Route } from './routes/route.js';
import { createRouter } from './routes/router.js';
import { openSocket } from './socket/open-socket.js';
import type { OpenSockets } from './socket/open-sockets.js';
import { createStatusPages } from './status-pages.js';

export interface AppParts {
  clock: Clock;
  log: Log;
  metrics: Registry;
  routes: readonly Route[];
  limits: EdgeLimits;
  rates: Rates;
  /** Finds the caller of a credential; called for every request, so it should cache (CallerCache). */
  authenticate: Authenticate;
  /**
   * Whether the caller of a credential is known without a look-up; others are not looked up for an address that sent too many wrong
   * keys. Absent: none is.
   */
  knowsCaller: (authorization: string) => boolean;
  /** Drops all cached callers, after a change of permissions. Absent: nothing is cached. */
  forgetCallers: () => void;
  /** The hosts that requests may name. */
  hosts: AllowedHosts;
  /** Where customers reach the edge, when that is not the address it listens on; with https, session cookies are Secure. */
  publicUrl: URL | undefined;
  /** Whether the edge is behind a proxy that sets the X-Forwarded headers. Absent: no. */
  behindProxy: boolean;
  /** The routes of the reference. */
  reference: Router<State>;
  /** Where the status service's pages are, which the edge shows too. Absent: it does not. */
  statusUrl: string | undefined;
  /** The certificate to trust there, where it is this process's own. Absent: any that the system trusts. */
  statusTrust: (() => OwnTrust) | undefined;
  /** Whether the listener is closing. */
  isDraining: () => boolean;
  /** The requests under way. */
  open: Set<State>;
  sockets: OpenSockets;
}

/**
 * The Koa application: everything that happens to a request, in order. An unknown route is 404 with and without a key; a known one
 * requires a key, and the request is counted, before a byte of its body is read.
 */
export function createApp(parts: AppParts): Koa<State> {
  // Of X-Forwarded-For only the last entry is believed: our own proxy appended it; the ones before it are the client's claim.
  const app = new Koa<State>({ proxy: parts.behindProxy, maxIpsCount: 1 });
  const router = createRouter(parts.routes, [
    authenticateCaller(parts),
    limitRates(parts.rates),
    checkScope,
    limitUnderWay(parts.limits),
    openSocket(parts),
    openEventStream(parts),
    callRpc(parts),
  ]);
  app.use(beginCall(parts));
  app.use(logRequests(parts));
  app.use(renderErrors(parts));
  app.use(limitStrangers(parts.rates));
  app.use(checkTarget);
  app.use(checkHost(parts.hosts));
  app.use(router.routes());
  app.use(parts.reference.routes());
  app.use(createStatusPages(parts).routes());
  app.use(createPanel());
  app.use(refuseUnmatched);
  // Errors of writing a response, nearly always clients that hang up; every other error is handled by renderErrors.
  app.on('error', (error: unknown) => parts.log.debug({ err: error }, 'a response was not sent'));
  return app;
}
