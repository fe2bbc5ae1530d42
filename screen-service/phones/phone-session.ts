import type { Clock } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import { KeptLink } from '../../phone/link/kept-link.js';
import type { ConnectSocket } from '../../phone/link/phone-link.js';
import { Captures } from '../capture/captures.js';
import { Images } from '../capture/images.js';
import { FrameImages } from '../capture/minicap/frame-images.js';
import { MinicapSource } from '../capture/minicap/minicap-source.js';
import type { ScreenLimits } from '../limits.js';
import type { ScreenMetrics } from '../metrics.js';
import { Trees } from '../tree/trees.js';
import type { ReportPhone } from './report-phone.js';

/** Where a phone is and what it is, as the device service tells for each request. */
export interface LocatedPhone {
  /** Device name, for error texts. */
  name: string;
  phoneId: string;
  generation: number;
  /** Identity of this start of the phone (phone/link/identity.ts), checked at every new connection. */
  identity: string;
  host: string;
  port: number;
  /** Upright size, pixels, and dots per inch. */
  screen: { width: number; height: number; density: number };
}

export interface SessionParts {
  clock: Clock;
  log: Log;
  metrics: ScreenMetrics;
  connectSocket: ConnectSocket;
  limits: ScreenLimits;
  report: ReportPhone;
}

/** What is kept of one running phone between requests. It holds no permission: that is asked for on every request. */
export class PhoneSession {
  readonly phone: LocatedPhone;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: ScreenMetrics;
  readonly limits: ScreenLimits;
  readonly link: KeptLink;
  readonly captures: Captures;
  readonly trees: Trees;
  readonly images: Images;
  readonly minicap: MinicapSource;
  readonly frameImages: FrameImages;
  /** When input was last sent to the phone by this service, monotonic ms. */
  inputSentMs = -Infinity;
  lastUsedMs: number;

  constructor(phone: LocatedPhone, { clock, log, metrics, connectSocket, limits, report }: SessionParts) {
    this.phone = phone;
    this.clock = clock;
    this.metrics = metrics;
    this.limits = limits;
    this.log = log.child({ phone_id: phone.phoneId });
    const { phoneId, host, port, identity } = phone;
    this.link = new KeptLink({
      host,
      port,
      clock,
      connectSocket,
      connectTimeoutMs: limits.connectTimeoutMs,
      identity,
      onOpenFailed: (error) => report(phoneId, error),
    });
    const parts = { link: this.link, clock, metrics, limits };
    this.captures = new Captures(parts);
    this.trees = new Trees(parts);
    this.images = new Images(metrics);
    this.frameImages = new FrameImages(metrics);
    this.minicap = new MinicapSource({ link: this.link, clock, log: this.log, limits, screen: phone.screen });
    this.lastUsedMs = clock.monotonicMs();
  }

  /** Runs a short command. Throws unavailable or timeout. `doing` completes "the phone did not …". */
  command(command: string, doing: string, signal?: AbortSignal) {
    const { commandTimeoutMs: timeoutMs, commandMaxBytes: maxBytes } = this.limits;
    return this.link.shell(command, { timeoutMs, maxBytes, doing, signal });
  }

  close(): void {
    this.minicap.stop();
    this.captures.close();
    this.link.close();
  }
}
