import type { RequestListener } from 'node:http';
import type Router from '@koa/router';
import Koa from 'koa';
import type { Registry } from 'prom-client';
import type { OwnTrust } from '../kit/https/server-certificate.js';
import type { AllowedHosts } from '../kit/net/allowed-hosts.js';
import type { Clock } from '../kit/async/clock.js';
import type { Log } from '../kit/log/log.js';
import type { Authenticate } from '../kit/rpc/caller.js';
import type { State } from './context.js';
import { openEventStream } from './events/open-event-stream.js';
import type { EdgeLimits } from './limits.js';
import type { Auditor } from '../kit/rpc/audit-calls.js';
import { authenticateCaller } from './middleware/authenticate.js';
import { beginCall } from './middleware/begin-call.js';
import { callRpc } from './middleware/call-rpc.js';
import { checkHost } from './middleware/check-host.js';
import { checkScope } from './middleware/check-scope.js';
import { checkTarget } from './middleware/check-target.js';
import { discardUnread } from './middleware/discard-unread.js';
import { limitRates, limitAnonymousClients } from './middleware/limit-rates.js';
import { limitUnderWay } from './middleware/limit-under-way.js';
import { logRequests } from './middleware/log-requests.js';
import { refuseLate } from './middleware/refuse-late.js';
import { refuseUnmatched } from './middleware/refuse-unmatched.js';
import { renderErrors } from './middleware/render-errors.js';
import { createMcp } from './mcp/create-mcp.js';
import type { Rates } from './rates/rate-windows.js';
import { BodyRoom } from './http/body-room.js';
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
  /** Returns the caller of a credential. It is called for every request, so it should cache (CallerCache). */
  authenticate: Authenticate;
  /**
   * Returns whether the caller of a credential is known without a look-up. For an address that sent too many wrong keys, other callers
   * are not looked up. Absent: no caller is known.
   */
  knowsCaller: (authorization: string) => boolean;
  /** Removes all cached callers, after a change of permissions. Absent: nothing is cached. */
  forgetCallers: () => void;
  /** The hosts that requests may name. */
  hosts: AllowedHosts;
  /**
   * The URL at which customers reach the edge, when that is not the address on which it listens. With https, session cookies are Secure.
   */
  publicUrl: URL | undefined;
  /** Whether the edge is behind a proxy that sets the X-Forwarded headers. Absent: no. */
  behindProxy: boolean;
  /** The routes of the reference. */
  reference: Router<State>;
  /** URL of the status service, whose pages the edge shows too. Absent: the edge does not show them. */
  statusUrl: string | undefined;
  /** The certificate to trust at the status service, when it is this process's own. Absent: any certificate that the system trusts. */
  statusTrust: (() => OwnTrust) | undefined;
  /** Writes the audit log of what the edge refuses. Absent: nobody does. */
  auditor?: Auditor | undefined;
  /** Whether /mcp is served. */
  mcp: boolean;
  /** Returns whether the listener is closing. */
  isDraining: () => boolean;
  /** The requests under way. */
  open: Set<State>;
  sockets: OpenSockets;
}

/**
 * Creates the Koa application, which does everything with a request, in order. An unknown route is 404 with and without a key. A known
 * route requires a key, and the request is counted, before a byte of its body is read.
 */
export function createApp(parts: AppParts): Koa<State> {
  // Only the last entry of X-Forwarded-For is believed, as our own proxy appended it. The entries before it are the client's claim.
  const app = new Koa<State>({ proxy: parts.behindProxy, maxIpsCount: 1 });
  const room = new BodyRoom({
    maxEachBytes: parts.limits.maxBodiesOfAccountBytes,
    maxAllBytes: parts.limits.maxBodiesBytes,
    maxShareBytes: parts.limits.maxBodyBytes,
  });
  const router = createRouter(parts.routes, [
    authenticateCaller(parts),
    limitRates(parts.rates),
    checkScope(parts.clock, parts.auditor),
    limitUnderWay(parts.limits),
    openSocket(parts),
    openEventStream(parts),
    callRpc({ ...parts, room }),
  ]);
  let handle: ReturnType<typeof app.callback> | undefined;
  // The app serves the requests of tools as those of clients. It is complete when the first one comes.
  const serve: RequestListener = (request, response) => {
    handle ??= app.callback();
    void handle(request, response);
  };
  app.use(beginCall(parts));
  app.use(discardUnread(parts));
  app.use(logRequests(parts));
  app.use(renderErrors());
  app.use(refuseLate);
  app.use(limitAnonymousClients(parts.rates));
  app.use(checkTarget);
  app.use(checkHost(parts.hosts));
  app.use(router);
  app.use(parts.reference.routes());
  app.use(createStatusPages(parts).routes());
  if (parts.mcp) app.use(createMcp({ ...parts, room, serve }).routes());
  app.use(createPanel());
  app.use(refuseUnmatched);
  // These are errors of writing a response, nearly always of clients that hang up. Every other error is handled by renderErrors.
  app.on('error', (error: unknown) => parts.log.debug({ err: error }, 'a response was not sent'));
  return app;
}
